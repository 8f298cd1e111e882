package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
  private final int part;
  private final int parts;
  private final Map<IdKey, List<PendingDocument>> documents = new HashMap<>();

  private PendingDocuments(Predicate<RepairEntry> filter, int part, int parts) {
    this.filter = filter;
    this.part = part;
    this.parts = parts;
  }

  /**
   * Reads a part of the documents.
   *
   * @param filter selects the entries to repair; the others only tell what is newer
   * @param part from 0
   */
  static PendingDocuments read(
      List<RepairLogFile> files, Predicate<RepairEntry> filter, int part, int parts)
      throws IOException {
    PendingDocuments documents = new PendingDocuments(filter, part, parts);
    for (RepairLogFile file : files) {
      file.forEachEntry(documents::add, unreadable -> {});
    }
    documents.documents.values().forEach(PendingDocuments::findContested);
    return documents;
  }

  private void add(RepairEntry entry, RepairMarks.Position position) {
    if (entry instanceof RepairEntry.DocumentEntry document) {
      IdKey id = IdKey.of(document);
      if (Math.floorMod(id.hashCode(), parts) == part) {
        List<PendingDocument> sameId = documents.computeIfAbsent(id, absent -> new ArrayList<>(1));
        Names names = Names.of(document);
        PendingDocument known = find(sameId, names);
        if (known == null) {
          known = new PendingDocument(names);
          sameId.add(known);
        }
        known.add(document, filter.test(entry) ? position : null);
      }
    }
  }

  private static @Nullable PendingDocument find(List<PendingDocument> sameId, Names names) {
    for (PendingDocument document : sameId) {
      if (document.names().equals(names)) {
        return document;
      }
    }
    return null;
  }

  /**
   * An alias may give one document two names: with entries both ways, it is unclear which is newer.
   */
  private static void findContested(List<PendingDocument> sameId) {
    for (PendingDocument one : sameId) {
      for (PendingDocument other : sameId) {
        if (one != other && one.isOppositeTo(other)) {
          one.setContested();
        }
      }
    }
  }

  /** Returns the documents of this part that a file names for repair, in its order. */
  Set<PendingDocument> ofFile(RepairLogFile file) throws IOException {
    Set<PendingDocument> found = new LinkedHashSet<>();
    file.forEachEntry(
        (entry, position) -> {
          if (entry instanceof RepairEntry.DocumentEntry document && filter.test(entry)) {
            List<PendingDocument> sameId = documents.get(IdKey.of(document));
            PendingDocument known = sameId == null ? null : find(sameId, Names.of(document));
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
   * The names and routings of a document, in alphabetic order: the name in the cluster {@code to}
   * of one direction is the index in {@code from} of the other. Whether the location is certain may
   * differ between entries.
   */
  record Names(
      String lesserIndex,
      String greaterIndex,
      @Nullable String lesserRouting,
      @Nullable String greaterRouting) {
    private static final Comparator<@Nullable String> ORDER =
        Comparator.nullsFirst(Comparator.naturalOrder());

    static Names of(RepairEntry.DocumentEntry entry) {
      RepairEntry.Document one = entry.document();
      boolean indices = one.index().compareTo(one.concreteIndex()) <= 0;
      boolean routings = ORDER.compare(one.routing(), one.sourceRouting()) <= 0;
      return new Names(
          indices ? one.index() : one.concreteIndex(),
          indices ? one.concreteIndex() : one.index(),
          routings ? one.routing() : one.sourceRouting(),
          routings ? one.sourceRouting() : one.routing());
    }
  }
}
