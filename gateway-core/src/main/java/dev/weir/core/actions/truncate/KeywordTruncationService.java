package dev.weir.core.actions.truncate;

import dev.weir.cluster.MappingCache;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * Truncates values of keyword fields that would make their documents fail for their length,
 * according to the requests' policies. Caches recent mappings. Safe on any thread.
 */
public final class KeywordTruncationService {
  private final LongAdder truncatedValues = new LongAdder();
  private final LongAdder truncatedDocuments = new LongAdder();
  private final Map<UntruncatedReason, LongAdder> untruncatedDocuments = counters();
  private final MappingCache<KeywordFields> fieldsByMapping =
      new MappingCache<>(KeywordFields::of, KeywordFields::heapBytes);
  private final RequestPolicy.Section<BulkPolicy.TruncateKeywords> section;

  /** Creates a service with an empty cache. */
  public KeywordTruncationService(PolicySectionRegistry<BulkPolicy.TruncateKeywords> sections) {
    this.section = sections.register((name, settings, before) -> settings);
  }

  /** Starts the truncation of one request's documents under a policy. */
  public RequestTruncation startRequest(RequestPolicy policy) {
    return new RequestTruncation(this, policy.get(section));
  }

  /** Returns the number of truncated values. */
  public long truncatedValues() {
    return truncatedValues.sum();
  }

  /** Returns the number of documents with truncated values. */
  public long truncatedDocuments() {
    return truncatedDocuments.sum();
  }

  /** Returns the number of documents with a value that was too long and left alone for a reason. */
  public long untruncatedDocuments(UntruncatedReason reason) {
    LongAdder counter = untruncatedDocuments.get(reason);
    return counter == null ? 0 : counter.sum();
  }

  private static Map<UntruncatedReason, LongAdder> counters() {
    Map<UntruncatedReason, LongAdder> counters = new EnumMap<>(UntruncatedReason.class);
    for (UntruncatedReason reason : UntruncatedReason.values()) {
      counters.put(reason, new LongAdder());
    }
    return counters;
  }

  void recordUntruncated(UntruncatedReason reason) {
    LongAdder counter = untruncatedDocuments.get(reason);
    if (counter != null) {
      counter.increment();
    }
  }

  void recordTruncation(int cutValues, int cutDocuments) {
    truncatedValues.add(cutValues);
    truncatedDocuments.add(cutDocuments);
  }

  KeywordFields fieldsOf(@Nullable MappingMetadata mapping) {
    return mapping == null ? KeywordFields.of(null) : fieldsByMapping.get(mapping);
  }
}
