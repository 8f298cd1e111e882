package dev.weir.admission;

import dev.weir.testkit.junit.InterleavingCheck;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

public final class MemoryPoolInterleavingTest {
  @Test
  void reserveInSomeOrder() {
    InterleavingCheck.assertLinearizable(Operations.class);
  }

  /** What requests do with a pool of which some bytes are held. */
  public static final class Operations {
    private static final int HELD = 20;
    private final MemoryPool pool = new MemoryPool(HELD + 4);

    public Operations() {
      pool.forceReserve(HELD);
    }

    @Operation
    public boolean reserve(
        @Param(gen = IntGen.class, conf = "1:3") int bytes,
        @Param(gen = IntGen.class, conf = "0:1") int leaving) {
      return pool.reserve(bytes, leaving);
    }

    @Operation
    public void release(@Param(gen = IntGen.class, conf = "1:2") int bytes) {
      pool.release(bytes);
    }

    @Operation
    public long usedBytes() {
      return pool.usedBytes();
    }
  }
}
