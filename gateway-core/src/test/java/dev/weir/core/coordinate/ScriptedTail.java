package dev.weir.core.coordinate;

import dev.weir.model.ShardNotes;
import dev.weir.protocol.PendingCall;
import java.util.ArrayList;
import java.util.List;

/** Does what the test says, and keeps what it is told. Plain unless told otherwise. */
final class ScriptedTail implements Tail {
  final List<String> log = new ArrayList<>();
  boolean hedges;
  boolean goes = true;
  boolean retries = true;
  boolean startsOver = true;

  @Override
  public ShardNotes.Why asked(PendingCall call, String nodeId, Why why) {
    log.add(nodeId + " " + why);
    return why.noted();
  }

  @Override
  public boolean hedges() {
    return hedges;
  }

  @Override
  public long lookAfterNanos(PendingCall first) {
    return 1_000_000;
  }

  @Override
  public boolean goes(PendingCall first, String nodeId) {
    return goes;
  }

  @Override
  public long lookAgainNanos(PendingCall first, long waitedNanos) {
    return 1_000_000;
  }

  @Override
  public void answered(PendingCall first) {
    log.add("answered");
  }

  @Override
  public boolean abandon(PendingCall loser) {
    log.add("abandoned");
    return true;
  }

  @Override
  public void ended(End how) {
    log.add("hedge " + how);
  }

  @Override
  public boolean mayRetry(Exception failure) {
    return retries;
  }

  @Override
  public boolean mayStartOver(Exception loss) {
    log.add("lost: " + loss.getMessage());
    return startsOver;
  }
}
