package dev.weir.advice.check;

import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.snapshot.IndexFacts;

/**
 * The calls around {@code index.blocks.read_only}. Under this block an index refuses every change,
 * also of its other settings, except for the call that lifts the block.
 */
public final class ReadOnlyBlock {
  private static final String KEY = "index.blocks.read_only";

  private ReadOnlyBlock() {}

  /**
   * Returns a mend of an index as it is, or for a read-only index one that lifts the block first
   * and sets it again at the end.
   */
  public static Mend liftDuring(Mend mend, IndexFacts index) {
    if (!index.isReadOnly()) {
      return mend;
    }
    Mend lifted = liftFirst(Mend.of(mend.note()), index);
    for (MendStep step : mend.steps()) {
      lifted = lifted.with(step);
    }
    return lifted.indexSettings(index.name(), "{\"" + KEY + "\": true}");
  }

  /** Returns a mend without steps as it is, or for a read-only index with the lifting call. */
  static Mend liftFirst(Mend mend, IndexFacts index) {
    return index.isReadOnly() ? mend.indexSettings(index.name(), "{\"" + KEY + "\": null}") : mend;
  }
}
