package dev.weir.rest;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a request that may be a write. What a write was answered must reach its client: who
 * is told 429 instead does it again. So nodes' answers and the answer to the client are paid for
 * ahead by what was paid for the items, half of which is meant for that; beyond it nodes' answers
 * are asked for as usual, and the answer to the client, which is made of them, is never refused.
 * Safe on any thread.
 */
final class WriteMemory implements RequestMemory {
  /**
   * What a write has without paying for it, in bytes: a short answer of a node, and two pages of
   * the answer to the client. It is a part of what a small request takes beside its items.
   */
  static final long BASE = 32 << 10;

  private final RequestMemory all;
  private final @Nullable WriteMemory whole;
  private volatile boolean mayComeAgain;
  private boolean writing;
  private long left = BASE;
  private long answersAhead;
  private long outputAhead;

  WriteMemory(RequestMemory all) {
    this(all, null);
  }

  private WriteMemory(RequestMemory all, @Nullable WriteMemory whole) {
    this.all = all;
    this.whole = whole;
  }

  /** The memory of a part of the write, which pays ahead for its own answers. */
  WriteMemory part() {
    WriteMemory part = new WriteMemory(all, this);
    part.write();
    return part;
  }

  /** From now on it is one. */
  synchronized void write() {
    writing = true;
  }

  /** Whether there may be room for what was refused when the client comes again. */
  boolean mayComeAgain() {
    return mayComeAgain;
  }

  @Override
  public @Nullable MemoryRefusal take(Item item, long bytes, Supplier<List<String>> growth) {
    MemoryRefusal refused = ask(item, bytes, growth);
    if (refused != null) {
      refused(refused);
    }
    return refused;
  }

  /** Something was refused for which its client is told so. */
  void refused(MemoryRefusal why) {
    if (!why.lasting()) {
      mayComeAgain = true;
    }
    if (whole != null) {
      whole.refused(why);
    }
  }

  @Override
  public @Nullable MemoryRefusal tryTake(Item item, long bytes) {
    MemoryRefusal refused = all.tryTake(item, bytes);
    if (refused == null && item == Item.PARSED) {
      paid(bytes);
    }
    return refused;
  }

  private @Nullable MemoryRefusal ask(Item item, long bytes, Supplier<List<String>> growth) {
    switch (item) {
      case ANSWERS -> {
        if (ahead(item, bytes)) {
          return null;
        }
      }
      case OUTPUT -> {
        if (ahead(item, bytes)) {
          return null;
        }
        if (isWrite()) {
          all.takeAnyway(item, bytes);
          return null;
        }
      }
      case PARSED -> {
        MemoryRefusal refused = all.take(item, bytes, growth);
        if (refused == null) {
          paid(bytes);
        }
        return refused;
      }
      case BODY, DECODED, REDUCTION -> {}
    }
    return all.take(item, bytes, growth);
  }

  private synchronized boolean isWrite() {
    return writing;
  }

  private synchronized void paid(long bytes) {
    left += bytes / 2;
  }

  private synchronized boolean ahead(Item item, long bytes) {
    if (!writing || bytes > left) {
      return false;
    }
    left -= bytes;
    if (item == Item.OUTPUT) {
      outputAhead += bytes;
    } else {
      answersAhead += bytes;
    }
    return true;
  }

  @Override
  public void takeAnyway(Item item, long bytes) {
    all.takeAnyway(item, bytes);
    if (item == Item.PARSED) {
      paid(bytes);
    }
  }

  @Override
  public void giveBack(Item item, long bytes) {
    long paid = bytes - backAhead(item, bytes);
    if (paid > 0) {
      all.giveBack(item, paid);
    }
    if (item == Item.PARSED) {
      paid(-bytes);
    }
  }

  /** How much of what is given back was paid for ahead. */
  private synchronized long backAhead(Item item, long bytes) {
    long ahead = 0;
    if (item == Item.OUTPUT) {
      ahead = Math.min(bytes, outputAhead);
      outputAhead -= ahead;
    } else if (item == Item.ANSWERS) {
      ahead = Math.min(bytes, answersAhead);
      answersAhead -= ahead;
    }
    left += ahead;
    return ahead;
  }

  @Override
  public boolean bounded() {
    return all.bounded();
  }
}
