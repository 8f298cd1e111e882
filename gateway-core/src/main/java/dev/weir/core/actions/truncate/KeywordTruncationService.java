package dev.weir.core.actions.truncate;

import dev.weir.cluster.MappingCache;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * Cuts values of keyword fields that are too long, which would make their documents fail, by their
 * requests' policies. Remembers the mappings that it met last. Safe on any thread.
 */
public final class KeywordTruncationService {
  private final LongAdder truncatedValues = new LongAdder();
  private final LongAdder truncatedDocuments = new LongAdder();
  private final MappingCache<KeywordFields> fieldsByMapping =
      new MappingCache<>(KeywordFields::of, KeywordFields::heapBytes);
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
    return mapping == null ? KeywordFields.of(null) : fieldsByMapping.get(mapping);
  }
}
