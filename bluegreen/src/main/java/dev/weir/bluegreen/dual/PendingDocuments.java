package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The documents that the files of a repair log name, or a part of them: a log may name more than
 * the heap holds. The parts are disjoint, and a document's entries of all files are in one of them.
 */
final class PendingDocuments {
  private final Predicate<RepairEntry> filter;
  private final int part;
  private final int parts;
  private final Map<Key, State> states = new HashMap<>();

  private PendingDocuments(Predicate<RepairEntry> filter, int part, int parts) {
    this.filter = filter;
    this.part = part;
    this.parts = parts;
  }

  /**
   * Reads a part of the documents.
   *
   * @param part from 0
   */
  static PendingDocuments read(
      List<RepairLogFile> files, Predicate<RepairEntry> filter, int part, int parts)
      throws IOException {
    PendingDocuments documents = new PendingDocuments(filter, part, parts);
    for (RepairLogFile file : files) {
      file.forEachEntry(documents::add, unreadable -> {});
    }
    return documents;
  }

  private void add(RepairEntry entry) {
    if (entry instanceof RepairEntry.DocumentEntry document && filter.test(entry)) {
      Key key = Key.of(document);
      if (isInPart(key)) {
        states.computeIfAbsent(key, absent -> new State(document)).add(document);
      }
    }
  }

  private boolean isInPart(Key key) {
    return Math.floorMod(key.hashCode(), parts) == part;
  }

  /** Returns the documents of this part that a file names, in its order. */
  Set<State> ofFile(RepairLogFile file) throws IOException {
    Set<State> found = new LinkedHashSet<>();
    file.forEachEntry(
        entry -> {
          if (entry instanceof RepairEntry.DocumentEntry document) {
            State state = states.get(Key.of(document));
            if (state != null && filter.test(entry)) {
              found.add(state);
            }
          }
        },
        unreadable -> {});
    return found;
  }

  /** A document in both clusters. Whether its location is certain may differ between entries. */
  private record Key(String sourceCluster, String targetCluster, RepairEntry.Document document) {
    static Key of(RepairEntry.DocumentEntry entry) {
      RepairEntry.Document one = entry.document();
      return new Key(
          entry.sourceCluster(),
          entry.targetCluster(),
          new RepairEntry.Document(
              one.index(),
              one.concreteIndex(),
              one.id(),
              one.routing(),
              one.sourceRouting(),
              true));
    }
  }

  /**
   * The entries of a document in all files, and whether it is repaired. Used by one thread at a
   * time.
   */
  static final class State {
    private RepairEntry.DocumentEntry newest;
    private boolean outcomeUnknown;
    private boolean attempted;
    private volatile boolean repaired;

    private State(RepairEntry.DocumentEntry first) {
      this.newest = first;
    }

    private void add(RepairEntry.DocumentEntry entry) {
      outcomeUnknown |= entry.op() == RepairEntry.Op.UNKNOWN;
      boolean newer =
          entry.version() > newest.version()
              || (entry.version() == newest.version() && !entry.time().isBefore(newest.time()));
      if (newer) {
        newest = entry;
      }
    }

    /** The entry with the highest version, the newest of several. */
    RepairEntry.DocumentEntry newest() {
      return newest;
    }

    /** Whether the first cluster may have executed one of the writes without a confirmation. */
    boolean isOutcomeUnknown() {
      return outcomeUnknown;
    }

    boolean isAttempted() {
      return attempted;
    }

    void setAttempted() {
      attempted = true;
    }

    boolean isRepaired() {
      return repaired;
    }

    void setRepaired(boolean now) {
      repaired = now;
    }
  }
}
