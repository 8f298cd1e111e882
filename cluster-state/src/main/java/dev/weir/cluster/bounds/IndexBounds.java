package dev.weir.cluster.bounds;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;

/**
 * The learned bounds of one index.
 *
 * @param name its name
 * @param uuid its permanent id
 * @param versions the versions that the bounds depend on
 * @param fields bounds by field
 * @param learnedAt when they were read
 * @param isSealed whether the index had a write block then; otherwise the bounds are a guess
 */
public record IndexBounds(
    String name,
    String uuid,
    Versions versions,
    Map<String, DateBounds> fields,
    Instant learnedAt,
    boolean isSealed) {
  /**
   * Versions that change whenever an index may have accepted writes, or changed how it reads dates.
   *
   * @param settings grows with each change of the index's settings, and blocks are settings
   * @param mapping grows with each change of its mapping
   * @param primaryTerms grow whenever another copy of a shard becomes the primary
   */
  public record Versions(long settings, long mapping, List<Long> primaryTerms) {
    /** Returns the versions of an index in a state. */
    static Versions of(IndexMetadata index) {
      List<Long> terms = new ArrayList<>(index.getNumberOfShards());
      for (int shard = 0; shard < index.getNumberOfShards(); shard++) {
        terms.add(index.primaryTerm(shard));
      }
      return new Versions(index.getSettingsVersion(), index.getMappingVersion(), terms);
    }
  }

  public IndexBounds {
    fields = Map.copyOf(fields);
  }

  /** Returns whether the bounds hold for this index, provided that all nodes have this state. */
  boolean isValidFor(ClusterState state, IndexMetadata index) {
    return isSealed
        && uuid.equals(index.getIndexUUID())
        && versions.equals(Versions.of(index))
        && SealedIndexChecker.isSealed(state, index);
  }

  /** Returns the bounds as a guess, because the index may have changed. */
  IndexBounds asGuess() {
    return new IndexBounds(name, uuid, versions, fields, learnedAt, false);
  }
}
