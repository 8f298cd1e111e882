package dev.weir.gateway.actions.cut;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.gateway.cluster.IndexNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.compress.CompressedXContent;

/**
 * Cuts values of keyword fields that are too long, which would make their documents fail, by the
 * policy in force. Remembers the mappings that it met last. Safe on any thread.
 */
public final class KeywordTruncation {
  private static final int MOST_MAPPINGS = 128;

  private final LongAdder values = new LongAdder();
  private final LongAdder documents = new LongAdder();
  private final Map<CompressedXContent, KeywordFields> mappings =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CompressedXContent, KeywordFields> eldest) {
          return size() > MOST_MAPPINGS;
        }
      };
  private volatile List<String> indices;

  /** Makes one that remembers nothing. */
  public KeywordTruncation(BulkPolicy.TruncateKeywords policy) {
    this.indices = policy.indices();
  }

  /** Goes by another policy from now on. */
  public void use(BulkPolicy.TruncateKeywords policy) {
    indices = policy.indices();
  }

  /** What becomes of the documents of one request. */
  public TruncatedValues begin() {
    return new TruncatedValues(this);
  }

  /** Values that were cut. */
  public long values() {
    return values.sum();
  }

  /** Documents in which values were cut. */
  public long documents() {
    return documents.sum();
  }

  void count(int cutValues, int cutDocuments) {
    values.add(cutValues);
    documents.add(cutDocuments);
  }

  /** Whether the policy names an index, by the name that a request has for it or by its own. */
  boolean isFor(String name, String index) {
    return IndexNames.isNamed(indices, name, index);
  }

  KeywordFields fields(@Nullable MappingMetadata mapping) {
    if (mapping == null) {
      return KeywordFields.of(null);
    }
    synchronized (mappings) {
      KeywordFields known = mappings.get(mapping.source());
      if (known != null) {
        return known;
      }
    }
    KeywordFields read = KeywordFields.of(mapping);
    synchronized (mappings) {
      mappings.put(mapping.source(), read);
    }
    return read;
  }
}
