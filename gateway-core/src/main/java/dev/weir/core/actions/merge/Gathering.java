package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Parts that wait for others, for a time and up to an amount. Confined to one home. */
final class Gathering implements Part.Place {
  private final Lane lane;
  private final BulkPolicy.Merge policy;
  private final Runnable stopTimer;
  private final List<Part> parts = new ArrayList<>();
  private int documents;
  private long bytes;
  private boolean gone;

  /** Begins; goes by itself when the time is over. */
  Gathering(Lane lane, BulkPolicy.Merge policy, Executor home) {
    this.lane = lane;
    this.policy = policy;
    this.stopTimer = lane.delays().unlessCalledOff(policy.within(), home, this::go);
  }

  boolean hasRoomFor(Part part) {
    return documents + part.items().length <= policy.maxDocuments()
        && bytes + part.bytes() <= policy.maxBytes().bytes();
  }

  void add(Part part) {
    part.at(this);
    parts.add(part);
    documents += part.items().length;
    bytes += part.bytes();
    lane.counts().waits();
    if (documents >= policy.maxDocuments() || bytes >= policy.maxBytes().bytes()) {
      go();
    }
  }

  @Override
  public void left(Part part) {
    parts.remove(part);
    documents -= part.items().length;
    bytes -= part.bytes();
    lane.counts().waitsNoLonger();
    if (parts.isEmpty()) {
      go();
    }
  }

  /** They go. */
  void go() {
    if (gone) {
      return;
    }
    gone = true;
    stopTimer.run();
    parts.forEach(part -> lane.counts().waitsNoLonger());
    lane.ended(this, parts);
  }
}
