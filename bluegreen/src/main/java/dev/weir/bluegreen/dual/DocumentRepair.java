package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocuments.Failure;
import dev.weir.bluegreen.dual.ClusterDocuments.Found;
import dev.weir.bluegreen.dual.ClusterDocuments.Written;
import dev.weir.bluegreen.dual.RepairEntry.Document;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Brings one document of a cluster to what it is in another: reads it where it is right, writes it
 * where it is not with the version that it has, and looks again whenever something else has written
 * it meanwhile. Blocks; safe on any thread.
 */
final class DocumentRepair {
  /** How often a document that is being written is looked at again. */
  private static final int MOST_ROUNDS = 100;

  private final ClusterDocuments from;
  private final ClusterDocuments to;
  private final boolean fromWins;
  private final boolean dryRun;
  private final Pause pause;

  /** What became of a document. */
  enum Result {
    /** It was written, or would be. */
    WRITTEN,
    /** It was deleted, or would be. */
    DELETED,
    /** It was the same already. */
    SAME,
    /** The other cluster has a version that is higher than the right one: left as it is. */
    HIGHER,
    /** It is not found where it should be, which does not say that it is gone: left as it is. */
    LOST
  }

  /** Waits, or says that it was waited long enough. */
  interface Pause {
    boolean goOn(int round) throws InterruptedException;

    /** Waits so long each time, so many times. */
    static Pause of(Duration each, int times) {
      return round -> {
        Thread.sleep(each);
        return round < times;
      };
    }
  }

  /**
   * Makes one between two clusters.
   *
   * @param from is right
   * @param fromWins whether it is so also where {@code to} has a higher version
   * @param dryRun whether nothing is written
   * @param pause while a deleted document's version is remembered
   */
  DocumentRepair(
      ClusterDocuments from, ClusterDocuments to, boolean fromWins, boolean dryRun, Pause pause) {
    this.from = from;
    this.to = to;
    this.fromWins = fromWins;
    this.dryRun = dryRun;
    this.pause = pause;
  }

  /**
   * Brings a document up to date.
   *
   * @param any whether its deletion, if it is gone, may have any version
   */
  Result repair(RepairEntry.OfDocument entry, boolean any) throws Failure, InterruptedException {
    Document document = entry.document();
    boolean create = false;
    int waited = 0;
    for (int round = 0; round < MOST_ROUNDS + waited; round++) {
      Found right;
      try {
        right = right(document);
      } catch (Failure failure) {
        if (failure.isNoIndex()) {
          return Result.LOST; // it may have been replaced by one of another name
        }
        throw failure;
      }
      boolean older = right != null && right.version() < entry.version();
      if (!document.sure() && entry.op() != Op.DELETE && (right == null || older)) {
        return Result.LOST;
      }
      if (dryRun) {
        return compared(right, there(document));
      }
      if (right == null) {
        Result result = removed(entry, any);
        if (result != null) {
          return result;
        }
        continue;
      }
      PendingWrite write = indexing(document.found(right.routing()), right, create);
      switch (to.write(write)) {
        case DONE -> {
          return Result.WRITTEN;
        }
        case CREATES_ALONE -> create = true;
        case CONFLICT -> {
          if (write.creates()) {
            return Result.SAME;
          }
          Found there = there(document);
          Found again = right(document);
          boolean written = again == null || again.version() != right.version();
          if (written || (there != null && there.version() <= right.version())) {
            continue; // something else has written it meanwhile
          }
          if (there == null) {
            if (!pause.goOn(waited++)) {
              throw new Failure("the version of a deleted document is still remembered", null);
            }
          } else if (fromWins) {
            to.write(deleting(document, there.version()));
          } else {
            return Result.HIGHER;
          }
        }
      }
    }
    throw new Failure("it is written all the time", null);
  }

  private Result compared(@Nullable Found right, @Nullable Found there) {
    if (right == null) {
      return there == null ? Result.SAME : Result.DELETED;
    }
    if (there == null || there.version() < right.version()) {
      return Result.WRITTEN;
    }
    return there.version() == right.version() ? Result.SAME : Result.HIGHER;
  }

  /** Removes what is gone; null when it has to be looked at again. */
  private @Nullable Result removed(RepairEntry.OfDocument entry, boolean unknown) throws Failure {
    Found there = there(entry.document());
    if (there == null) {
      return Result.SAME;
    }
    if (right(entry.document()) != null) {
      return null;
    }
    boolean any = fromWins || unknown;
    if (!any && there.version() > entry.version()) {
      return Result.HIGHER;
    }
    long version = Math.max(there.version(), entry.version());
    return to.write(deleting(entry.document(), version)) == Written.DONE ? Result.DELETED : null;
  }

  private @Nullable Found right(Document document) throws Failure {
    return from.get(document.concrete(), document.id(), document.lies());
  }

  /** An alias or a data stream of several indices has no documents that can be got by its name. */
  private @Nullable Found there(Document document) throws Failure {
    try {
      return to.get(document.index(), document.id(), document.routing());
    } catch (Failure severalIndices) {
      if (severalIndices.isNoIndex()) {
        return null;
      }
      if (document.index().equals(document.concrete())) {
        throw severalIndices;
      }
      try {
        return to.get(document.concrete(), document.id(), document.routing());
      } catch (Failure alsoThere) {
        throw alsoThere.isNoIndex() ? severalIndices : alsoThere;
      }
    }
  }

  private static PendingWrite deleting(Document document, long version) {
    return new PendingWrite(document, Op.DELETE, version, false);
  }

  private static PendingWrite indexing(Document document, Found right, boolean create)
      throws Failure {
    BytesReference source = right.source();
    if (source == null) {
      throw new Failure("the cluster that has it keeps no _source of it", null);
    }
    PendingWrite write = new PendingWrite(document, Op.INDEX, right.version(), false);
    write.becomes(source, Reading.type(source), right.version());
    if (create) {
      write.mustCreate();
    }
    return write;
  }
}
