package dev.weir.core.coordinate;

import dev.weir.protocol.NodeCall;

/** Tasks on one node that are cancelled together. */
public interface NodeTaskBan {
  /** The call that makes the node cancel the tasks, and refuse new ones. */
  NodeCall<?> createBanCall(String reason);

  /** The call that makes the node forget the ban, because no more tasks can come. */
  NodeCall<?> createUnbanCall();
}
