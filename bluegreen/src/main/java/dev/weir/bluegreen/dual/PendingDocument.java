package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.RepairEntry.DocumentEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a document in all files, of one direction or of both, and whether it is repaired.
 * Used by one thread at a time.
 */
final class PendingDocument {
  private final List<PendingDocuments.Placement> placements = new ArrayList<>(1);
  private final List<RepairMarks.Position> positions = new ArrayList<>(1);
  private @Nullable Direction first;
  private @Nullable Direction second;
  private boolean contested;
  private boolean attempted;
  private volatile boolean repaired;

  /** The entries from one cluster to the other. */
  static final class Direction {
    private DocumentEntry newest;
    private boolean selected;
    private boolean outcomeUnknown;
    private @Nullable Instant acknowledged;
    private long acknowledgedVersion;

    private Direction(DocumentEntry first) {
      this.newest = first;
    }

    private void add(DocumentEntry entry, boolean isSelected) {
      selected |= isSelected;
      outcomeUnknown |= entry.op() == RepairEntry.Op.UNKNOWN;
      boolean newer =
          entry.version() > newest.version()
              || (entry.version() == newest.version() && !entry.time().isBefore(newest.time()));
      if (newer) {
        newest = entry;
      }
      if (entry.isAcknowledged()) {
        acknowledgedVersion = Math.max(acknowledgedVersion, entry.version());
        if (acknowledged == null || entry.time().isAfter(acknowledged)) {
          acknowledged = entry.time();
        }
      }
    }

    /** The entry with the highest version, the newest of several. */
    DocumentEntry newest() {
      return newest;
    }

    /** Whether the options of the repair select entries of this direction. */
    boolean isSelected() {
      return selected;
    }

    /** Whether the first cluster may have executed one of the writes without a confirmation. */
    boolean isOutcomeUnknown() {
      return outcomeUnknown;
    }

    /** When the first cluster last acknowledged one of the writes; null for none. */
    @Nullable Instant acknowledged() {
      return acknowledged;
    }

    /** The highest version that the first cluster acknowledged; 0 for none. */
    long acknowledgedVersion() {
      return acknowledgedVersion;
    }
  }

  /**
   * Adds an entry.
   *
   * @param position where it is marked once it is repaired; null if it is not to be repaired
   */
  void add(DocumentEntry entry, RepairMarks.@Nullable Position position) {
    PendingDocuments.Placement placement = PendingDocuments.Placement.of(entry);
    if (!placements.contains(placement)) {
      placements.add(placement);
    }
    if (position != null) {
      positions.add(position);
    }
    Direction known = first;
    if (known == null) {
      known = new Direction(entry);
      first = known;
    } else if (!known.newest().sourceCluster().equals(entry.sourceCluster())) {
      known = second;
      if (known == null) {
        known = new Direction(entry);
        second = known;
      }
    }
    known.add(entry, position != null);
  }

  /** The entries that are repaired with it. */
  List<RepairMarks.Position> positions() {
    return positions;
  }

  /** Where its entries say that it is. */
  List<PendingDocuments.Placement> placements() {
    return placements;
  }

  /** Whether it has entries of the direction from a cluster. */
  boolean hasEntriesFrom(String cluster) {
    return (first != null && first.newest().sourceCluster().equals(cluster))
        || (second != null && second.newest().sourceCluster().equals(cluster));
  }

  /** The only direction, or the one of two whose entry came first. */
  Direction first() {
    return Objects.requireNonNull(first, "a document has an entry");
  }

  /** The opposite direction; null without entries of it. */
  @Nullable Direction second() {
    return second;
  }

  /** Whether one of the two has entries of a direction that the other lacks. */
  boolean isOppositeTo(PendingDocument other) {
    return second != null
        || other.second != null
        || !first().newest().sourceCluster().equals(other.first().newest().sourceCluster());
  }

  /** Whether other entries of the opposite direction may mean this document by another name. */
  boolean isContested() {
    return contested;
  }

  void setContested() {
    contested = true;
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
