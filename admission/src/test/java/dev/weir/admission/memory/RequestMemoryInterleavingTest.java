package dev.weir.admission.memory;

import dev.weir.admission.MemoryPool;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.RequestMemory.Category;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.InterleavingCheck;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

@Drawn(oneIn = 2)
public final class RequestMemoryInterleavingTest {
  @Test
  void accountForEachByteOnce() {
    InterleavingCheck.assertInvariants(Operations.class);
  }

  /** What two threads do with the account of one request, beside another request of its tenant. */
  public static final class Operations {
    private static final long POOL_BYTES = 1000;
    private static final int HELD = 100;

    private final MemoryPool responses = new MemoryPool(POOL_BYTES);
    private final GatewayMemory gateway =
        new GatewayMemory(
            new RequestMemoryPolicy(true, new ByteSize(600), new ByteSize(POOL_BYTES), 0.8),
            new GatewayMemory.Pools(
                new MemoryPool(POOL_BYTES), responses, new MemoryPool(POOL_BYTES)),
            () -> 0);
    private final List<RequestMemoryAccount> accounts =
        List.of(
            gateway.openAccount("GET", "/a/_search", "tenant"),
            gateway.openAccount("GET", "/b/_search", "tenant"));

    public Operations() {
      accounts.forEach(account -> account.forceReserve(Category.NODE_RESPONSES, HELD));
    }

    @Operation
    public boolean reserve(
        @Param(gen = IntGen.class, conf = "0:1") int account,
        @Param(gen = IntGen.class, conf = "100:500") int bytes) {
      return accounts.get(account).reserve(Category.NODE_RESPONSES, bytes) == null;
    }

    @Operation
    public void release(
        @Param(gen = IntGen.class, conf = "0:1") int account,
        @Param(gen = IntGen.class, conf = "1:12") int bytes) {
      accounts.get(account).release(Category.NODE_RESPONSES, bytes);
    }

    /** At rest, the pool holds what the accounts hold, and at most its bound; and then nothing. */
    @Validate
    public void holdWhatTheAccountsHold() {
      long held = 0;
      for (RequestMemoryAccount account : accounts) {
        held += account.usedBytes();
        require(account.usedBytes() <= 600, "a request is over its bound");
      }
      require(responses.usedBytes() == held, "the pool holds other bytes than its accounts");
      require(gateway.usedBytes() == held, "the gateway counts other bytes than its accounts");
      require(held <= POOL_BYTES, "the pool is over its bound");
      for (RequestMemoryAccount account : accounts) {
        account.release(Category.NODE_RESPONSES, account.usedBytes());
      }
      require(responses.usedBytes() == 0, "bytes are left");
      require(gateway.activeTenants() == 0, "a tenant is left");
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalStateException(otherwise);
      }
    }
  }
}
