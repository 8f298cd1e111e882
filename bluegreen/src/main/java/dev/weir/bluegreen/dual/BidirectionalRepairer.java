package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.ClusterDocumentClient.StoredDocument;
import dev.weir.bluegreen.dual.DocumentRepairer.Result;
import dev.weir.bluegreen.dual.PendingDocument.Direction;
import dev.weir.bluegreen.dual.RepairEntry.DocumentEntry;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Repairs a document of the log once, in the direction of its last acknowledged write. Blocks; safe
 * on any thread.
 */
final class BidirectionalRepairer {
  private static final Duration RETRY_PAUSE = Duration.ofMillis(500);

  private final Function<String, ClusterDocumentClient> clusters;
  private final RepairRunner.Options options;

  /**
   * Creates a repairer.
   *
   * @param clusters by name; throws {@link IllegalArgumentException} for an unknown one
   */
  BidirectionalRepairer(
      Function<String, ClusterDocumentClient> clusters, RepairRunner.Options options) {
    this.clusters = clusters;
    this.options = options;
  }

  /**
   * What became of a document.
   *
   * @param entry an entry of the direction that was decided
   */
  record Outcome(DocumentEntry entry, Result result) {}

  /** Repairs a document, or leaves it where the log does not tell which cluster is right. */
  Outcome repair(PendingDocument document) throws DocumentAccessException, InterruptedException {
    Direction first = document.first();
    Direction second = document.second();
    if (options.sourceWins() || (second == null && !document.isContested())) {
      Direction only = selected(document);
      return copy(only, only.isOutcomeUnknown());
    }
    DirectionDecider.@Nullable Decision decision;
    try {
      decision = second == null ? decideContested(first) : decide(first, second);
    } catch (DocumentAccessException failure) {
      if (failure.isIndexMissing()) {
        decision = null; // its index may have a new name
      } else {
        throw failure;
      }
    }
    return switch (decision) {
      case null -> new Outcome(entryOf(document), Result.MISSING_IN_SOURCE);
      case SAME -> new Outcome(entryOf(document), Result.SAME);
      case CROSSED -> new Outcome(entryOf(document), Result.CROSSED);
      case FIRST -> copyIfSelected(first, second);
      case SECOND -> copyIfSelected(second == null ? first : second, first);
    };
  }

  /** The direction that a failure of a document is reported with. */
  static DocumentEntry entryOf(PendingDocument document) {
    return selected(document).newest();
  }

  private static Direction selected(PendingDocument document) {
    Direction second = document.second();
    return second != null && !document.first().isSelected() ? second : document.first();
  }

  private Outcome copyIfSelected(Direction direction, @Nullable Direction opposite)
      throws DocumentAccessException, InterruptedException {
    if (!direction.isSelected()) {
      return new Outcome(
          opposite == null ? direction.newest() : opposite.newest(), Result.OTHER_DIRECTION);
    }
    boolean hasOpposite = opposite != null && opposite.acknowledged() != null;
    return copy(direction, direction.isOutcomeUnknown() && !hasOpposite);
  }

  /**
   * Copies.
   *
   * @param any whether a deletion may replace any version: its own is not known. Where the target
   *     gets requests of its own, a higher version may be one of theirs, and stays.
   */
  private Outcome copy(Direction direction, boolean any)
      throws DocumentAccessException, InterruptedException {
    DocumentEntry entry = direction.newest();
    DocumentRepairer repairer =
        new DocumentRepairer(
            clusters.apply(entry.sourceCluster()),
            clusters.apply(entry.targetCluster()),
            options.sourceWins(),
            options.dryRun(),
            DocumentRepairer.RetryPause.fixed(
                RETRY_PAUSE, Math.toIntExact(options.retryTimeout().dividedBy(RETRY_PAUSE))));
    boolean mayBeLater = options.hasTraffic().test(entry.targetCluster());
    return new Outcome(entry, repairer.repair(entry, any && !mayBeLater));
  }

  /** Returns null if the document may be elsewhere than the log says. */
  private DirectionDecider.@Nullable Decision decide(Direction first, Direction second)
      throws DocumentAccessException {
    StoredDocument inFirst = readSource(first);
    StoredDocument inSecond = readSource(second);
    return mayBeElsewhere(first, inFirst) || mayBeElsewhere(second, inSecond)
        ? null
        : DirectionDecider.decide(first, inFirst, second, inSecond);
  }

  private static boolean mayBeElsewhere(Direction direction, @Nullable StoredDocument found) {
    DocumentEntry entry = direction.newest();
    return found == null
        && !entry.document().locationCertain()
        && entry.op() != RepairEntry.Op.DELETE;
  }

  /** Only a higher version proves a later write where other entries may mean the same document. */
  private DirectionDecider.@Nullable Decision decideContested(Direction only)
      throws DocumentAccessException {
    DocumentEntry entry = only.newest();
    StoredDocument from = readSource(only);
    if (mayBeElsewhere(only, from)) {
      return null;
    }
    StoredDocument to = clusters.apply(entry.targetCluster()).findTarget(entry.document());
    if (from == null && to == null) {
      return DirectionDecider.Decision.SAME;
    }
    if (from == null || to == null || from.version() < to.version()) {
      return DirectionDecider.Decision.CROSSED;
    }
    if (from.version() > to.version()) {
      return DirectionDecider.Decision.FIRST;
    }
    return from.source() != null && from.source().equals(to.source())
        ? DirectionDecider.Decision.SAME
        : DirectionDecider.Decision.CROSSED;
  }

  private @Nullable StoredDocument readSource(Direction direction) throws DocumentAccessException {
    DocumentEntry entry = direction.newest();
    RepairEntry.Document document = entry.document();
    return clusters
        .apply(entry.sourceCluster())
        .get(document.concreteIndex(), document.id(), document.sourceRouting());
  }
}
