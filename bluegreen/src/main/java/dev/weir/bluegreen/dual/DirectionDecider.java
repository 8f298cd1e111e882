package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocumentClient.StoredDocument;
import dev.weir.bluegreen.dual.PendingDocument.Direction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides from which cluster a document is copied that has entries in both directions: from the one
 * that acknowledged the last write. Dual writes carry versions over, so a higher version is a later
 * write, unless each cluster went on without the other. Stateless.
 */
final class DirectionDecider {
  private DirectionDecider() {}

  /** The decision. */
  enum Decision {
    /** Copy in the direction of the first entries. */
    FIRST,
    /** Copy in the opposite direction. */
    SECOND,
    /** Both clusters have the same document, or neither has it. */
    SAME,
    /** Each cluster executed a write that the other lacks, and neither is known to be later. */
    CROSSED
  }

  /**
   * Decides.
   *
   * @param inFirst the document in the cluster from which {@code first} copies; null if gone
   * @param inSecond the document in the cluster from which {@code second} copies; null if gone
   */
  static Decision decide(
      Direction first,
      @Nullable StoredDocument inFirst,
      Direction second,
      @Nullable StoredDocument inSecond) {
    if (inFirst == null && inSecond == null) {
      return Decision.SAME;
    }
    boolean firstIsNewest = isNewest(first, second);
    Decision newest = firstIsNewest ? Decision.FIRST : Decision.SECOND;
    if (inFirst == null || inSecond == null) {
      return newest;
    }
    if (inFirst.version() == inSecond.version()) {
      boolean isSame = inFirst.source() != null && inFirst.source().equals(inSecond.source());
      return isSame ? Decision.SAME : newest;
    }
    Decision higher = inFirst.version() > inSecond.version() ? Decision.FIRST : Decision.SECOND;
    if (higher == newest) {
      return higher;
    }
    // The cluster with the lower version has the last acknowledged write of the log. If that is
    // above all of the opposite direction, and the higher version reaches it, both clusters went
    // through it, and one went on. A higher version below it is older: versions began again.
    long last = (firstIsNewest ? first : second).acknowledgedVersion();
    long opposite = (firstIsNewest ? second : first).acknowledgedVersion();
    long reached = Math.max(inFirst.version(), inSecond.version());
    return last > opposite && reached >= last ? higher : Decision.CROSSED;
  }

  /** Compares the last acknowledged writes; those of unknown outcome count only without others. */
  private static boolean isNewest(Direction one, Direction other) {
    Instant mine = one.acknowledged();
    Instant others = other.acknowledged();
    if (mine == null && others == null) {
      return !one.newest().time().isBefore(other.newest().time());
    }
    return mine != null && (others == null || !mine.isBefore(others));
  }
}
