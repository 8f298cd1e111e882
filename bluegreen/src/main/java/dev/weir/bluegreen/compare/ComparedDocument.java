package dev.weir.bluegreen.compare;

import dev.weir.bluegreen.compare.IndexComparison.Difference;
import dev.weir.bluegreen.compare.IndexComparison.Side;
import dev.weir.bluegreen.dual.RepairEntry;
import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A document as two clusters have it; null where it is not there. Once it was in one of them.
 *
 * @param known one of the two, also after the document is gone: tells its id and routing
 */
record ComparedDocument(
    @Nullable DocumentFingerprint inBlue,
    @Nullable DocumentFingerprint inGreen,
    DocumentFingerprint known) {
  ComparedDocument(@Nullable DocumentFingerprint inBlue, @Nullable DocumentFingerprint inGreen) {
    this(
        inBlue,
        inGreen,
        Objects.requireNonNull(inBlue == null ? inGreen : inBlue, "a document is somewhere"));
  }

  DocumentFingerprint any() {
    return inBlue != null ? inBlue : inGreen != null ? inGreen : known;
  }

  boolean exists() {
    return inBlue != null || inGreen != null;
  }

  /** The difference; null for none. */
  @Nullable Difference difference() {
    if (inBlue == null) {
      return inGreen == null ? null : Difference.ONLY_IN_GREEN;
    }
    if (inGreen == null) {
      return Difference.ONLY_IN_BLUE;
    }
    if (inBlue.version() != inGreen.version()) {
      return Difference.VERSION;
    }
    return inBlue.hash().equals(inGreen.hash()) ? null : Difference.SOURCE;
  }

  /** The entry with which a repair copies what blue has, or deletes what it lacks. */
  RepairEntry toRepairEntry(Instant time, Side blue, Side green) {
    String index = inGreen == null ? green.index() : inGreen.index();
    String concrete = inBlue == null ? blue.index() : inBlue.index();
    DocumentFingerprint one = any();
    RepairEntry.Document document =
        new RepairEntry.Document(index, concrete, one.id(), one.routing());
    return new RepairEntry.DocumentEntry(
        time,
        blue.name(),
        green.name(),
        inBlue == null ? Op.DELETE : Op.INDEX,
        document,
        one.version(),
        new Cause(0, Cause.COMPARED, String.valueOf(difference())));
  }
}
