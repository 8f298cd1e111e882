package dev.weir.advice;

import dev.weir.advice.check.AllocationCheck;
import dev.weir.advice.check.ConcurrentRecoveriesCheck;
import dev.weir.advice.check.DiskSpaceCheck;
import dev.weir.advice.check.DrainedNodesCheck;
import dev.weir.advice.check.HeapCheck;
import dev.weir.advice.check.LoggerLevelsCheck;
import dev.weir.advice.check.ManagerNodesCheck;
import dev.weir.advice.check.MaxShardsCheck;
import dev.weir.advice.check.NodeFilterCheck;
import dev.weir.advice.check.PluginsCheck;
import dev.weir.advice.check.RecoveryLimitCheck;
import dev.weir.advice.check.ShardsPerHeapCheck;
import dev.weir.advice.check.SwapCheck;
import dev.weir.advice.check.UnbalancedPrimariesCheck;
import dev.weir.advice.check.UnfinishedOperationCheck;
import dev.weir.advice.check.VersionsCheck;
import dev.weir.advice.check.VotingExclusionsCheck;
import dev.weir.advice.check.ZoneAwarenessCheck;
import dev.weir.advice.check.indices.ClosedIndicesCheck;
import dev.weir.advice.check.indices.CodecCheck;
import dev.weir.advice.check.indices.DeletedDocumentsCheck;
import dev.weir.advice.check.indices.FieldLimitCheck;
import dev.weir.advice.check.indices.LargeShardsCheck;
import dev.weir.advice.check.indices.NoReplicasCheck;
import dev.weir.advice.check.indices.RefreshIntervalCheck;
import dev.weir.advice.check.indices.SegmentsCheck;
import dev.weir.advice.check.indices.TinyShardsCheck;
import dev.weir.advice.check.indices.TranslogCheck;
import dev.weir.advice.check.indices.UnassignedCopiesCheck;
import dev.weir.advice.check.indices.WriteBlocksCheck;
import dev.weir.advice.check.traffic.HotIndexCheck;
import dev.weir.advice.check.traffic.HotShardCheck;
import dev.weir.advice.check.traffic.HotTenantCheck;
import dev.weir.advice.check.traffic.NodeHealthCheck;
import dev.weir.advice.finding.Check;
import java.util.List;

/** All checks. To add one, write its class and add its line here. */
public final class CheckCatalog {
  private static final List<Check> ALL =
      List.of(
          new UnfinishedOperationCheck(),
          new AllocationCheck(),
          new NodeFilterCheck(),
          new VotingExclusionsCheck(),
          new DrainedNodesCheck(),
          new LoggerLevelsCheck(),
          new RecoveryLimitCheck(),
          new ConcurrentRecoveriesCheck(),
          new DiskSpaceCheck(),
          new WriteBlocksCheck(),
          new UnassignedCopiesCheck(),
          new NoReplicasCheck(),
          new ManagerNodesCheck(),
          new ZoneAwarenessCheck(),
          new VersionsCheck(),
          new PluginsCheck(),
          new HeapCheck(),
          new SwapCheck(),
          new MaxShardsCheck(),
          new ShardsPerHeapCheck(),
          new TinyShardsCheck(),
          new LargeShardsCheck(),
          new UnbalancedPrimariesCheck(),
          new SegmentsCheck(),
          new DeletedDocumentsCheck(),
          new CodecCheck(),
          new ClosedIndicesCheck(),
          new FieldLimitCheck(),
          new RefreshIntervalCheck(),
          new TranslogCheck(),
          new HotIndexCheck(),
          new HotShardCheck(),
          new HotTenantCheck(),
          new NodeHealthCheck());

  private CheckCatalog() {}

  /** Returns all checks. */
  public static List<Check> all() {
    return ALL;
  }

  /**
   * Returns one check.
   *
   * @throws IllegalArgumentException if there is none of this name; the message lists them
   */
  public static Check find(String name) {
    return ALL.stream()
        .filter(check -> check.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "got check "
                    + name
                    + " (expected: one of "
                    + String.join(", ", ALL.stream().map(Check::name).toList())
                    + ")"));
  }
}
