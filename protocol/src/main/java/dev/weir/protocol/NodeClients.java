package dev.weir.protocol;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The clients of all known nodes. Safe on any thread. */
public interface NodeClients {
  /** The client of a node, or null when the node is not known. */
  @Nullable NodeClient byId(String nodeId);

  /** All clients. */
  Collection<? extends NodeClient> all();
}
