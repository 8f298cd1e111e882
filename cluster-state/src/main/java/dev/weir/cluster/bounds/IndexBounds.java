package dev.weir.cluster.bounds;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;

/**
 * What was learned of one index.
 *
 * @param name its name
 * @param uuid its id for life
 * @param versions of what the bounds depend on
 * @param fields bounds by field
 * @param learnedAt when they had been read
 * @param isSealed whether the index was kept from writes then; else they are a guess
 */
public record IndexBounds(
    String name,
    String uuid,
    Versions versions,
    Map<String, DateBounds> fields,
    Instant learnedAt,
    boolean isSealed) {
  /**
   * What changes whenever an index may have been open for writes, or reads dates in another way.
   *
   * @param settings grows with each change of the index's settings, and blocks are settings
   * @param mapping grows with each change of its mapping
   * @param primaryTerms grow whenever another copy of a shard becomes the primary
   */
  public record Versions(long settings, long mapping, List<Long> primaryTerms) {
    /** Of an index as a state shows it. */
    static Versions of(IndexMetadata index) {
      List<Long> terms = new ArrayList<>(index.getNumberOfShards());
      for (int shard = 0; shard < index.getNumberOfShards(); shard++) {
        terms.add(index.primaryTerm(shard));
      }
      return new Versions(index.getSettingsVersion(), index.getMappingVersion(), terms);
    }
  }

  /** Copies what it is given. */
  public IndexBounds {
    fields = Map.copyOf(fields);
  }

  /** Whether the bounds are those of this index, if all nodes have this state. */
  boolean isValidFor(ClusterState state, IndexMetadata index) {
    return isSealed
        && uuid.equals(index.getIndexUUID())
        && versions.equals(Versions.of(index))
        && SealedIndexChecker.isSealed(state, index);
  }

  /** What is left of it when the index may have changed. */
  IndexBounds asGuess() {
    return new IndexBounds(name, uuid, versions, fields, learnedAt, false);
  }
}
