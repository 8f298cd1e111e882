package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The documents that the files of a repair log name, or a part of them: a log may name more than
 * the heap holds. The parts are disjoint, and a document's entries of all files and both directions
 * are in one of them.
 */
final class PendingDocuments {
  private final Predicate<RepairEntry> filter;
  private final Predicate<String> renamed;
  private final int part;
  private final int parts;
  private final Map<IdKey, List<PendingDocument>> documents = new HashMap<>();

  private PendingDocuments(
      Predicate<RepairEntry> filter, Predicate<String> renamed, int part, int parts) {
    this.filter = filter;
    this.renamed = renamed;
    this.part = part;
    this.parts = parts;
  }

  /**
   * Reads a part of the documents.
   *
   * @param filter selects the entries to repair; the others only tell what is newer
   * @param renamed whether one of the clusters has another name for an index
   * @param part from 0
   */
  static PendingDocuments read(
      List<RepairLogFile> files,
      Predicate<RepairEntry> filter,
      Predicate<String> renamed,
      int part,
      int parts)
      throws IOException {
    PendingDocuments documents = new PendingDocuments(filter, renamed, part, parts);
    for (RepairLogFile file : files) {
      file.forEachEntry(documents::add, unreadable -> {});
    }
    documents.documents.values().forEach(documents::findContested);
    return documents;
  }

  private void add(RepairEntry entry, RepairMarks.Position position) {
    if (entry instanceof RepairEntry.DocumentEntry document) {
      IdKey id = IdKey.of(document);
      if (Math.floorMod(id.hashCode(), parts) == part) {
        List<PendingDocument> sameId = documents.computeIfAbsent(id, absent -> new ArrayList<>(1));
        PendingDocument known = find(sameId, document);
        if (known == null) {
          known = new PendingDocument();
          sameId.add(known);
        }
        known.add(document, filter.test(entry) ? position : null);
      }
    }
  }

  /**
   * Finds the document of an entry: it has an entry with the same placement, or one of the opposite
   * direction that names it by the same alias. The latter does not hold for indices that the
   * clusters rename: with two swapped names, it would be another document.
   */
  private @Nullable PendingDocument find(
      List<PendingDocument> sameId, RepairEntry.DocumentEntry entry) {
    Placement placement = Placement.of(entry);
    for (PendingDocument document : sameId) {
      if (document.placements().contains(placement)) {
        return document;
      }
    }
    RepairEntry.Document names = entry.document();
    if (renamed.test(names.index()) || renamed.test(names.concreteIndex())) {
      return null;
    }
    for (PendingDocument document : sameId) {
      if (!document.hasEntriesFrom(entry.sourceCluster())
          && document.placements().getFirst().isSameByAlias(placement)) {
        return document;
      }
    }
    return null;
  }

  /**
   * An alias may give one document two names: with entries both ways, it is unclear which is newer.
   */
  private void findContested(List<PendingDocument> sameId) {
    for (PendingDocument one : sameId) {
      for (PendingDocument other : sameId) {
        if (one != other && one.isOppositeTo(other) && !(isRenamed(one) && isRenamed(other))) {
          one.setContested();
        }
      }
    }
  }

  /** Whether the clusters rename its indices: then its names are not those of an alias. */
  private boolean isRenamed(PendingDocument document) {
    return document.placements().stream()
        .allMatch(placement ->
            renamed.test(placement.lesserClustersIndex())
                && renamed.test(placement.greaterClustersIndex()));
  }

  /** Returns the documents of this part that a file names for repair, in its order. */
  Set<PendingDocument> ofFile(RepairLogFile file) throws IOException {
    Set<PendingDocument> found = new LinkedHashSet<>();
    file.forEachEntry(
        (entry, position) -> {
          if (entry instanceof RepairEntry.DocumentEntry document && filter.test(entry)) {
            List<PendingDocument> sameId = documents.get(IdKey.of(document));
            PendingDocument known = sameId == null ? null : find(sameId, document);
            if (known != null) {
              found.add(known);
            }
          }
        },
        unreadable -> {});
    return found;
  }

  /** An id in two clusters, whatever the direction. */
  private record IdKey(String lesserCluster, String greaterCluster, String id) {
    static IdKey of(RepairEntry.DocumentEntry entry) {
      String from = entry.sourceCluster();
      String to = entry.targetCluster();
      boolean ordered = from.compareTo(to) <= 0;
      return new IdKey(ordered ? from : to, ordered ? to : from, entry.document().id());
    }
  }

  /**
   * The names and routings of a document in two clusters, the lesser of which comes first in the
   * alphabet.
   */
  record Placement(
      String lesserClustersIndex,
      String greaterClustersIndex,
      @Nullable String lesserClustersRouting,
      @Nullable String greaterClustersRouting) {
    static Placement of(RepairEntry.DocumentEntry entry) {
      RepairEntry.Document one = entry.document();
      return entry.sourceCluster().compareTo(entry.targetCluster()) <= 0
          ? new Placement(one.concreteIndex(), one.index(), one.sourceRouting(), one.routing())
          : new Placement(one.index(), one.concreteIndex(), one.routing(), one.sourceRouting());
    }

    /**
     * Whether an entry of the opposite direction may name the same document by an alias of both
     * clusters: an entry has the alias for the one cluster, and the index for the other.
     */
    boolean isSameByAlias(Placement opposite) {
      return isSamePair(
              lesserClustersIndex,
              greaterClustersIndex,
              opposite.lesserClustersIndex,
              opposite.greaterClustersIndex)
          && isSamePair(
              lesserClustersRouting,
              greaterClustersRouting,
              opposite.lesserClustersRouting,
              opposite.greaterClustersRouting);
    }

    private static boolean isSamePair(
        @Nullable String one,
        @Nullable String two,
        @Nullable String otherOne,
        @Nullable String otherTwo) {
      return (Objects.equals(one, otherOne) && Objects.equals(two, otherTwo))
          || (Objects.equals(one, otherTwo) && Objects.equals(two, otherOne));
    }
  }
}
