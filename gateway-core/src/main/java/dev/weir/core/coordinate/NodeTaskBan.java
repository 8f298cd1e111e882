package dev.weir.core.coordinate;

import dev.weir.protocol.NodeCall;

/** The tasks on one node that were started for one purpose, and can be cancelled together. */
public interface NodeTaskBan {
  /** The call to the node that cancels them, and refuses those that come later. */
  NodeCall<?> createBanCall(String reason);

  /** The call to the node that makes it forget the ban: none of them can come any more. */
  NodeCall<?> createUnbanCall();
}
