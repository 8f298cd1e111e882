package dev.weir.core.coordinate.batch;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.core.index.Index;

/**
 * Compares the mappings of indices. It remembers the outcome for two indices until the mapping of
 * one has another version, because mappings may be large, and a search compares hundreds. Safe on
 * any thread.
 */
public final class MappingComparison {
  /** About 2 MB. */
  static final int MAX_OUTCOMES = 10_000;

  private final Map<ComparedPair, Boolean> outcomes = new ConcurrentHashMap<>();

  /** An index while its mapping stays the same. */
  private record MappedIndex(Index index, long mappingVersion) {
    MappedIndex(IndexMetadata index) {
      this(index.getIndex(), index.getMappingVersion());
    }
  }

  private record ComparedPair(MappedIndex one, MappedIndex other) {}

  /** Remembers no outcome yet. */
  public MappingComparison() {}

  /** Returns whether all indices have a mapping, and all the same. */
  public boolean areSame(List<IndexMetadata> indices) {
    if (indices.isEmpty() || indices.getFirst().mapping() == null) {
      return false;
    }
    IndexMetadata first = indices.getFirst();
    MappedIndex one = new MappedIndex(first);
    for (IndexMetadata other : indices.subList(1, indices.size())) {
      ComparedPair pair = new ComparedPair(one, new MappedIndex(other));
      Boolean known = outcomes.get(pair);
      if (known == null) {
        known = isSame(first, other);
        remember(pair, known);
      }
      if (!known) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSame(IndexMetadata one, IndexMetadata other) {
    MappingMetadata mapping = one.mapping();
    MappingMetadata others = other.mapping();
    return mapping != null && others != null && mapping.source().equals(others.source());
  }

  private void remember(ComparedPair pair, boolean outcome) {
    if (outcomes.size() >= MAX_OUTCOMES) {
      outcomes.clear(); // deleted indices and earlier mappings with it
    }
    outcomes.put(pair, outcome);
  }

  /**
   * Forgets all outcomes: another cluster is followed, or the same one from an earlier state, whose
   * versions of mappings repeat with other contents.
   */
  public void clear() {
    outcomes.clear();
  }

  /** Returns the number of pairs whose outcome is known. */
  int outcomes() {
    return outcomes.size();
  }
}
