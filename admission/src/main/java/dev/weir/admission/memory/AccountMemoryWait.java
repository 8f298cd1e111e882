package dev.weir.admission.memory;

import dev.weir.admission.memory.RequestMemoryAccount.ScopedRejection;
import dev.weir.model.MemoryRejection;
import dev.weir.model.MemoryWait;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one account. The first wait is for twice the bytes that were refused, because the
 * request would have gone on to ask for more; the next is for as much as one request may hold. So a
 * request runs three times at most. Safe on any thread.
 */
final class AccountMemoryWait implements MemoryWait, MemoryWaitQueue.Waiter {
  private final RequestMemoryAccount account;
  private volatile boolean deferring;
  private volatile @Nullable ScopedRejection last;
  private volatile @Nullable Runnable onGranted;
  private volatile @Nullable MemoryWaitQueue queue;
  private volatile long wantedBytes;
  private boolean waitedBefore;

  AccountMemoryWait(RequestMemoryAccount account) {
    this.account = account;
  }

  @Override
  public void deferRejections() {
    deferring = true;
  }

  @Override
  public Duration maxWait() {
    return account.policy().maxWait();
  }

  @Override
  public boolean mayPassThrough() {
    return account.policy().passThrough();
  }

  /** Keeps a rejection back; returns false if it counts at once. */
  boolean keep(ScopedRejection rejection) {
    if (!deferring) {
      return false;
    }
    last = rejection;
    return true;
  }

  @Override
  public @Nullable MemoryRejection lastRejection() {
    ScopedRejection kept = last;
    return kept == null ? null : kept.rejection();
  }

  @Override
  public void reportRejection() {
    ScopedRejection kept = last;
    if (kept != null) {
      last = null;
      account.record(kept);
    }
  }

  @Override
  public boolean start(Runnable granted) {
    ScopedRejection kept = last;
    if (kept == null || kept.rejection().permanent()) {
      return false;
    }
    MemoryWaitQueue waits = account.waitQueue(kept.rejection().category());
    long wanted = bytesToWaitFor(kept);
    if (waits == null || wanted < kept.rejection().requestedBytes()) {
      return false;
    }
    wantedBytes = wanted;
    waitedBefore = true;
    onGranted = granted;
    queue = waits;
    return waits.add(this);
  }

  /** Returns at most what the request may hold beside what it holds: it never waits for itself. */
  private long bytesToWaitFor(ScopedRejection kept) {
    long most = account.maxBytesAlone(kept.rejection().category());
    long wanted = waitedBefore || kept.ownBytes() > most / 2 ? most : 2 * kept.ownBytes();
    return Math.min(wanted, most - account.usedInPoolOf(kept.rejection().category()));
  }

  @Override
  public @Nullable MemoryLimitScope tryGrant() {
    ScopedRejection kept = last;
    return kept == null ? null : account.grant(kept.rejection().category(), wantedBytes);
  }

  @Override
  public void notifyGranted() {
    Runnable callback = onGranted;
    onGranted = null;
    if (callback != null) {
      callback.run();
    }
  }

  @Override
  public boolean stop() {
    MemoryWaitQueue waits = queue;
    return waits != null && waits.remove(this);
  }

  @Override
  public void releaseUnused() {
    account.releaseGrant();
  }
}
