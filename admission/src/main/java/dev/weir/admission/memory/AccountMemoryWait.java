package dev.weir.admission.memory;

import dev.weir.admission.memory.RequestMemoryAccount.ScopedRejection;
import dev.weir.model.MemoryRejection;
import dev.weir.model.MemoryWait;
import dev.weir.model.RequestMemory.Category;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one account. After a refusal, the first wait is for twice the refused bytes, because
 * the request would have gone on to ask for more; the next is for as much as one request may hold.
 * So a request runs three times at most. A request that knows what it needs waits for just that.
 * Safe on any thread.
 */
final class AccountMemoryWait implements MemoryWait, MemoryWaitQueue.Waiter {
  private final RequestMemoryAccount account;
  private volatile boolean deferring;
  private volatile @Nullable ScopedRejection last;
  private volatile @Nullable Runnable onGranted;
  private volatile @Nullable MemoryWaitQueue queue;
  private volatile Category wantedItem = Category.REDUCTION;
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
    long wanted = bytesToWaitFor(kept);
    if (wanted < kept.rejection().requestedBytes()) {
      return false;
    }
    waitedBefore = true;
    return enqueue(kept.rejection().category(), wanted, granted);
  }

  @Override
  public boolean startFor(Category item, long bytes, Runnable granted) {
    return bytes <= account.maxBytesAlone(item) - account.usedInPoolOf(item)
        && enqueue(item, bytes, granted);
  }

  private boolean enqueue(Category item, long bytes, Runnable granted) {
    MemoryWaitQueue waits = account.waitQueue(item);
    if (waits == null) {
      return false;
    }
    wantedItem = item;
    wantedBytes = bytes;
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
    return account.grant(wantedItem, wantedBytes);
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
