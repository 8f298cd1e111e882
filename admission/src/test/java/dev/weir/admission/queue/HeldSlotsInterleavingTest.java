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

  @Test
  void countBesideOtherTenants() {
    InterleavingCheck.assertInvariants(OfTwoTenants.class);
  }

  /** What the calls of two tenants of a node do. */
  public static final class OfTwoTenants {
    private final HeldSlots slots = new HeldSlots();

    @Operation
    public void callAndEnd() {
      slots.onCallStart("a", 0);
      Operations.require(slots.countOf("a") > 0, "a call is not counted");
      slots.onCallEnd("a");
    }

    @Operation
    public void callAndEndOfTheOther() {
      slots.onCallStart("b", 0);
      Operations.require(slots.isShared("a", 0), "the other tenant's call is not seen");
      slots.onCallEnd("b");
    }

    @Operation
    public void reserveAndCancel() {
      slots.add("a", 2);
      slots.add("a", -2);
    }

    @Operation
    public void waitAndLeave() {
      slots.onWaitStart("b");
      slots.onWaitEnd("b");
    }

    @Validate
    public void nothingIsHeld() {
      Operations.require(slots.total() == 0, "got " + slots.total() + " calls in total");
      for (String tenant : new String[] {"a", "b"}) {
        Operations.require(slots.countOf(tenant) == 0, "got calls of " + tenant);
        Operations.require(
            !slots.isShared(tenant, Long.MAX_VALUE), tenant + " shares the node for ever");
      }
    }
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
