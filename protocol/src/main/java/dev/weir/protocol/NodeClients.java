package dev.weir.protocol;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The clients of all known nodes. Safe on any thread. */
public interface NodeClients {
  /** Returns the client of a node, or null for an unknown node. */
  @Nullable NodeClient byId(String nodeId);

  Collection<? extends NodeClient> all();
}
