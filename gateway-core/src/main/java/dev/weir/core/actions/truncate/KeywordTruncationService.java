package dev.weir.core.actions.truncate;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.compress.CompressedXContent;

/**
 * Cuts values of keyword fields that are too long, which would make their documents fail, by their
 * requests' policies. Remembers the mappings that it met last. Safe on any thread.
 */
public final class KeywordTruncationService {
  private static final int MAX_CACHED_MAPPINGS = 128;

  private final LongAdder truncatedValues = new LongAdder();
  private final LongAdder truncatedDocuments = new LongAdder();
  private final Map<CompressedXContent, KeywordFields> mappings =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CompressedXContent, KeywordFields> eldest) {
          return size() > MAX_CACHED_MAPPINGS;
        }
      };
  private final RequestPolicy.Section<BulkPolicy.TruncateKeywords> section;

  /** Makes one that remembers nothing. */
  public KeywordTruncationService(PolicySectionRegistry<BulkPolicy.TruncateKeywords> sections) {
    this.section = sections.register((name, says, before) -> says);
  }

  /** What becomes of the documents of one request that goes by a policy. */
  public RequestTruncation startRequest(RequestPolicy policy) {
    return new RequestTruncation(this, policy.get(section).indices());
  }

  /** Values that were cut. */
  public long truncatedValues() {
    return truncatedValues.sum();
  }

  /** Documents in which values were cut. */
  public long truncatedDocuments() {
    return truncatedDocuments.sum();
  }

  void recordTruncation(int cutValues, int cutDocuments) {
    truncatedValues.add(cutValues);
    truncatedDocuments.add(cutDocuments);
  }

  KeywordFields fieldsOf(@Nullable MappingMetadata mapping) {
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
