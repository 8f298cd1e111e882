package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.ClusterDocumentClient.StoredDocument;
import dev.weir.bluegreen.dual.ClusterDocumentClient.WriteResult;
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
final class DocumentRepairer {
  /** How often a document that is being written is looked at again. */
  private static final int MAX_ROUNDS = 100;

  private final ClusterDocumentClient source;
  private final ClusterDocumentClient target;
  private final boolean sourceWins;
  private final boolean dryRun;
  private final RetryPause pause;

  /** What became of a document. */
  enum Result {
    /** It was written, or would be. */
    WRITTEN,
    /** It was deleted, or would be. */
    DELETED,
    /** It was the same already. */
    SAME,
    /** The other cluster has a version that is higher than the right one: left as it is. */
    NEWER_IN_TARGET,
    /** It is not found where it should be, which does not say that it is gone: left as it is. */
    MISSING_IN_SOURCE
  }

  /** Waits, or says that it was waited long enough. */
  interface RetryPause {
    boolean await(int round) throws InterruptedException;

    /** Waits so long each time, so many times. */
    static RetryPause fixed(Duration each, int times) {
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
   * Brings a document up to date.
   *
   * @param any whether its deletion, if it is gone, may have any version
   */
  Result repair(RepairEntry.DocumentEntry entry, boolean any)
      throws DocumentAccessException, InterruptedException {
    Document document = entry.document();
    boolean create = false;
    int waited = 0;
    for (int round = 0; round < MAX_ROUNDS + waited; round++) {
      StoredDocument right;
      try {
        right = readSource(document);
      } catch (DocumentAccessException failure) {
        if (failure.isIndexMissing()) {
          return Result.MISSING_IN_SOURCE; // it may have been replaced by one of another name
        }
        throw failure;
      }
      boolean older = right != null && right.version() < entry.version();
      if (!document.locationCertain() && entry.op() != Op.DELETE && (right == null || older)) {
        return Result.MISSING_IN_SOURCE;
      }
      if (dryRun) {
        return compareVersions(right, readTarget(document));
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
        case CONFLICT -> {
          if (write.isCreate()) {
            return Result.SAME;
          }
          StoredDocument there = readTarget(document);
          StoredDocument again = readSource(document);
          boolean written = again == null || again.version() != right.version();
          if (written || (there != null && there.version() <= right.version())) {
            continue; // something else has written it meanwhile
          }
          if (there == null) {
            if (!pause.await(waited++)) {
              throw new DocumentAccessException(
                  "the version of a deleted document is still remembered", null);
            }
          } else if (sourceWins) {
            target.write(newDelete(document, there.version()));
          } else {
            return Result.NEWER_IN_TARGET;
          }
        }
      }
    }
    throw new DocumentAccessException("it is written all the time", null);
  }

  private Result compareVersions(@Nullable StoredDocument right, @Nullable StoredDocument there) {
    if (right == null) {
      return there == null ? Result.SAME : Result.DELETED;
    }
    if (there == null || there.version() < right.version()) {
      return Result.WRITTEN;
    }
    return there.version() == right.version() ? Result.SAME : Result.NEWER_IN_TARGET;
  }

  /** Removes what is gone; null when it has to be looked at again. */
  private @Nullable Result deleteFromTarget(RepairEntry.DocumentEntry entry, boolean unknown)
      throws DocumentAccessException {
    StoredDocument there = readTarget(entry.document());
    if (there == null) {
      return Result.SAME;
    }
    if (readSource(entry.document()) != null) {
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

  private @Nullable StoredDocument readSource(Document document) throws DocumentAccessException {
    return source.get(document.concreteIndex(), document.id(), document.sourceRouting());
  }

  /** An alias or a data stream of several indices has no documents that can be got by its name. */
  private @Nullable StoredDocument readTarget(Document document) throws DocumentAccessException {
    try {
      return target.get(document.index(), document.id(), document.routing());
    } catch (DocumentAccessException severalIndices) {
      if (severalIndices.isIndexMissing()) {
        return null;
      }
      if (document.index().equals(document.concreteIndex())) {
        throw severalIndices;
      }
      try {
        return target.get(document.concreteIndex(), document.id(), document.routing());
      } catch (DocumentAccessException alsoThere) {
        throw alsoThere.isIndexMissing() ? severalIndices : alsoThere;
      }
    }
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
