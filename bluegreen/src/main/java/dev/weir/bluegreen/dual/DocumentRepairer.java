package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.ClusterDocumentClient.StoredDocument;
import dev.weir.bluegreen.dual.ClusterDocumentClient.WriteResult;
import dev.weir.bluegreen.dual.RepairEntry.Document;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Copies the current state of one document from the source cluster to the target with its version,
 * and retries when another write interferes. Blocks; safe on any thread.
 */
final class DocumentRepairer {
  /** The maximum of attempts while other writes interfere. */
  private static final int MAX_ROUNDS = 100;

  private final ClusterDocumentClient source;
  private final ClusterDocumentClient target;
  private final boolean sourceWins;
  private final boolean dryRun;
  private final RetryPause pause;

  /** The result of a repair. */
  enum Result {
    /** Written to the target, or to be written in a dry run. */
    WRITTEN,
    /** Deleted in the target, or to be deleted in a dry run. */
    DELETED,
    /** Both clusters already agree. */
    SAME,
    /** The target has a higher version than the source; unchanged. */
    NEWER_IN_TARGET,
    /** Each cluster executed a write that the other lacks; both are unchanged. */
    CROSSED,
    /** The last write was in the target, and the repair does not copy from there; unchanged. */
    OTHER_DIRECTION,
    /**
     * The source lacks the document at its known location, which does not prove its deletion; the
     * target is unchanged.
     */
    MISSING_IN_SOURCE,
    /**
     * The target accepts the document only where it has it already, a backing index of a data
     * stream, and does not have it there; unchanged.
     */
    MISSING_IN_BACKING_INDEX
  }

  /** Waits, or returns that the wait was long enough. */
  interface RetryPause {
    boolean await(int round) throws InterruptedException;

    /** Waits for a fixed time, a fixed number of times. */
    static RetryPause fixed(Duration each, int times) {
      return round -> {
        Thread.sleep(each);
        return round < times;
      };
    }
  }

  /**
   * Creates a repairer between two clusters.
   *
   * @param from the source cluster
   * @param fromWins whether the source also replaces a higher version in {@code to}
   * @param dryRun whether it writes nothing
   * @param pause waits while a cluster remembers the version of a deleted document
   */
  DocumentRepairer(
      ClusterDocumentClient from,
      ClusterDocumentClient to,
      boolean fromWins,
      boolean dryRun,
      RetryPause pause) {
    this.source = from;
    this.target = to;
    this.sourceWins = fromWins;
    this.dryRun = dryRun;
    this.pause = pause;
  }

  /**
   * Repairs a document.
   *
   * @param any whether a deletion may replace any version in the target
   */
  Result repair(RepairEntry.DocumentEntry entry, boolean any)
      throws DocumentAccessException, InterruptedException {
    Document document = entry.document();
    boolean create = false;
    int waited = 0;
    for (int round = 0; round < MAX_ROUNDS + waited; round++) {
      StoredDocument right;
      try {
        right = readSource(entry);
      } catch (DocumentAccessException failure) {
        if (failure.isIndexMissing()) {
          return Result.MISSING_IN_SOURCE; // its index may have a new name
        }
        throw failure;
      }
      boolean older = right != null && right.version() < entry.version();
      if (!document.locationCertain() && entry.op() != Op.DELETE && (right == null || older)) {
        return Result.MISSING_IN_SOURCE;
      }
      if (dryRun) {
        return predict(entry, any, right, findTarget(entry));
      }
      if (right == null) {
        Result result = deleteFromTarget(entry, any);
        if (result != null) {
          return result;
        }
        continue;
      }
      PendingWrite write = newIndex(document.withFoundRouting(right.routing()), right, create);
      switch (target.write(write)) {
        case DONE -> {
          return Result.WRITTEN;
        }
        case CREATE_ONLY -> create = true;
        case REPLACE_ONLY -> {
          Result result = replaceInTarget(entry);
          if (result != null) {
            return result;
          }
        }
        case CONFLICT -> {
          if (write.isCreate()) {
            return Result.SAME;
          }
          StoredDocument there = target.findTarget(document);
          StoredDocument again = readSource(entry);
          boolean written = again == null || again.version() != right.version();
          if (written || (there != null && there.version() <= right.version())) {
            continue; // another write interfered
          }
          if (there == null) {
            if (!pause.await(waited++)) {
              throw new DocumentAccessException(
                  "the cluster still remembers the version of its deletion (run the repair again"
                      + " after index.gc_deletes, 60s by default)",
                  null);
            }
          } else if (sourceWins) {
            target.write(newDelete(document, there.version()));
          } else {
            return Result.NEWER_IN_TARGET;
          }
        }
      }
    }
    throw new DocumentAccessException(
        "another write interfered in each of "
            + MAX_ROUNDS
            + " attempts (run the repair again when clients write less)",
        null);
  }

  /**
   * Replaces the target's document by its number, since a backing index of a data stream accepts no
   * version; null if another write interfered. Reads the target first, so that it never replaces a
   * document that the source changed later.
   */
  private @Nullable Result replaceInTarget(RepairEntry.DocumentEntry entry)
      throws DocumentAccessException {
    StoredDocument there = findTarget(entry);
    if (there == null) {
      return Result.MISSING_IN_BACKING_INDEX;
    }
    StoredDocument right = readSource(entry);
    if (right == null) {
      return null;
    }
    if (hasSameSource(right, there)) {
      return Result.SAME; // after a replacement it has a version of the target's own
    }
    if (there.version() > right.version() && !sourceWins) {
      return Result.NEWER_IN_TARGET;
    }
    PendingWrite write = newIndex(entry.document().withFoundRouting(right.routing()), right, false);
    write.requireReplace(there.seqNo(), there.primaryTerm());
    return target.write(write) == WriteResult.DONE ? Result.WRITTEN : null;
  }

  /** Returns what a repair would do. */
  private Result predict(
      RepairEntry.DocumentEntry entry,
      boolean any,
      @Nullable StoredDocument right,
      @Nullable StoredDocument there) {
    if (right == null) {
      if (there == null) {
        return Result.SAME;
      }
      boolean deletes = sourceWins || any || there.version() <= entry.version();
      return deletes ? Result.DELETED : Result.NEWER_IN_TARGET;
    }
    boolean isReplaceOnly = PendingWrite.isBackingIndex(entry.document().index());
    if (there == null) {
      return isReplaceOnly ? Result.MISSING_IN_BACKING_INDEX : Result.WRITTEN;
    }
    if ((isReplaceOnly || there.version() == right.version()) && hasSameSource(right, there)) {
      return Result.SAME;
    }
    if (there.version() <= right.version()) {
      return Result.WRITTEN;
    }
    return sourceWins ? Result.WRITTEN : Result.NEWER_IN_TARGET;
  }

  private static boolean hasSameSource(StoredDocument right, StoredDocument there) {
    return right.source() != null && right.source().equals(there.source());
  }

  /** Deletes a document that the source lacks; null if it must be read again. */
  private @Nullable Result deleteFromTarget(RepairEntry.DocumentEntry entry, boolean unknown)
      throws DocumentAccessException {
    StoredDocument there = findTarget(entry);
    if (there == null) {
      return Result.SAME;
    }
    if (readSource(entry) != null) {
      return null;
    }
    boolean any = sourceWins || unknown;
    if (!any && there.version() > entry.version()) {
      return Result.NEWER_IN_TARGET;
    }
    long version = Math.max(there.version(), entry.version());
    return target.write(newDelete(entry.document(), version)) == WriteResult.DONE
        ? Result.DELETED
        : null;
  }

  private @Nullable StoredDocument readSource(RepairEntry.DocumentEntry entry)
      throws DocumentAccessException {
    Document document = entry.document();
    return withRouting(
        entry,
        document.sourceRouting(),
        source.get(document.concreteIndex(), document.id(), document.sourceRouting()));
  }

  private @Nullable StoredDocument findTarget(RepairEntry.DocumentEntry entry)
      throws DocumentAccessException {
    return withRouting(entry, entry.document().routing(), target.findTarget(entry.document()));
  }

  /**
   * A get finds what lies in the shard of the routing under the id. If a comparison found another
   * routing in the cluster, that is another document.
   */
  private static @Nullable StoredDocument withRouting(
      RepairEntry.DocumentEntry entry, @Nullable String routing, @Nullable StoredDocument found) {
    return found != null && entry.isCompared() && !Objects.equals(found.routing(), routing)
        ? null
        : found;
  }

  private static PendingWrite newDelete(Document document, long version) {
    return new PendingWrite(document, Op.DELETE, version, false);
  }

  private static PendingWrite newIndex(Document document, StoredDocument right, boolean create)
      throws DocumentAccessException {
    BytesReference source = right.source();
    if (source == null) {
      throw new DocumentAccessException("the cluster that has it keeps no _source of it", null);
    }
    PendingWrite write = new PendingWrite(document, Op.INDEX, right.version(), false);
    write.setContent(source, DocumentReader.detectMediaType(source), right.version());
    if (create) {
      write.requireCreate();
    }
    return write;
  }
}
