package dev.weir.core.actions.merge;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the answer to a call of several requests: each pays for what its part may take,
 * ahead and until the call is over; what is beyond that all that can pay in equal shares, since
 * without its answer nobody knows what was done. Safe on any thread.
 */
final class SharedAnswers implements RequestMemory {
  /**
   * What is paid ahead for a part, in bytes: some failures, which nodes answer with their stacks.
   */
  static final long AHEAD = 8 << 10;

  /** What is paid ahead for an item, in bytes. */
  static final long ITEM_AHEAD = 200;

  private final List<Payer> payers = new ArrayList<>();
  private long paid;
  private long used;

  /** What one request has paid. */
  private static final class Payer {
    final Part part;
    long bytes;

    Payer(Part part) {
      this.part = part;
    }

    @Nullable MemoryRefusal pay(long more, Supplier<List<String>> growth) {
      MemoryRefusal refusal = part.context().memory().take(Item.ANSWERS, more, growth);
      if (refusal == null) {
        bytes += more;
      }
      return refusal;
    }

    void back(long less) {
      bytes -= less;
      part.context().memory().giveBack(Item.ANSWERS, less);
    }
  }

  /** Has a part's request pay; false where it can't. */
  synchronized boolean payAhead(Part part) {
    Payer payer = new Payer(part);
    long ahead = AHEAD + ITEM_AHEAD * part.items().length;
    if (payer.pay(ahead, List::of) != null) {
      return false;
    }
    payers.add(payer);
    paid += ahead;
    return true;
  }

  @Override
  public synchronized @Nullable MemoryRefusal take(
      Item item, long bytes, Supplier<List<String>> growth) {
    long beyond = used + bytes - paid;
    if (beyond > 0) {
      MemoryRefusal refusal = payBeyond(beyond, growth);
      if (refusal != null) {
        return refusal;
      }
    }
    used += bytes;
    return null;
  }

  private @Nullable MemoryRefusal payBeyond(long beyond, Supplier<List<String>> growth) {
    List<Payer> present = payers.stream().filter(payer -> !payer.part.isOver()).toList();
    List<Payer> paying = present.isEmpty() ? List.copyOf(payers) : present;
    while (!paying.isEmpty()) {
      long share = (beyond + paying.size() - 1) / paying.size();
      List<Payer> able = new ArrayList<>(paying.size());
      MemoryRefusal refusal = null;
      for (Payer payer : paying) {
        MemoryRefusal refused = payer.pay(share, growth);
        if (refused == null) {
          able.add(payer);
        } else {
          refusal = refused;
        }
      }
      if (refusal == null) {
        paid += share * paying.size();
        return null;
      }
      able.forEach(payer -> payer.back(share));
      if (able.isEmpty()) {
        return refusal;
      }
      paying = able;
    }
    return null; // the call is over, and what comes is thrown away
  }

  @Override
  public void takeAnyway(Item item, long bytes) {
    throw new UnsupportedOperationException(
        "got memory of " + item + " (expected: of answers, which may be refused)");
  }

  @Override
  public synchronized void giveBack(Item item, long bytes) {
    used -= bytes;
  }

  @Override
  public synchronized boolean bounded() {
    return payers.stream().anyMatch(payer -> payer.part.context().memory().bounded());
  }

  /** The call is over: each gets back what it has paid. */
  synchronized void close() {
    payers.forEach(payer -> payer.back(payer.bytes));
    payers.clear();
  }
}
