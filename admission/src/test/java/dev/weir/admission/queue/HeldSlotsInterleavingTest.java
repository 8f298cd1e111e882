package dev.weir.admission.queue;

import dev.weir.testkit.junit.InterleavingCheck;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

public final class HeldSlotsInterleavingTest {
  @Test
  void neverShareWithATenantThatIsAlone() {
    InterleavingCheck.assertInvariants(Operations.class);
  }

  /** What the calls of the only tenant of a node do. */
  public static final class Operations {
    private static final String TENANT = "a";

    private final HeldSlots slots = new HeldSlots();

    @Operation
    public void callAndEnd() {
      slots.onCallStart(TENANT, 0);
      slots.onCallEnd(TENANT);
    }

    @Operation
    public void reserveAndCancel() {
      slots.add(TENANT, 2);
      slots.add(TENANT, -2);
    }

    @Operation
    public void waitAndLeave() {
      slots.onWaitStart(TENANT);
      slots.onWaitEnd(TENANT);
    }

    @Operation
    public void check() {
      require(!slots.isShared(TENANT, 0), "the only tenant shares the node");
    }

    @Validate
    public void nothingIsHeld() {
      require(slots.countOf(TENANT) == 0, "got " + slots.countOf(TENANT) + " calls");
      require(slots.total() == 0, "got " + slots.total() + " calls in total");
      require(!slots.isShared(TENANT, 0), "the only tenant shares the node");
      require(!slots.isShared("b", Long.MAX_VALUE), "a tenant without calls shares the node");
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalStateException(otherwise);
      }
    }
  }
}
