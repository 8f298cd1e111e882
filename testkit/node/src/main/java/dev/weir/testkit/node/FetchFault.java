package dev.weir.testkit.node;

import java.util.Locale;
import org.opensearch.OpenSearchException;
import org.opensearch.common.UUIDs;
import org.opensearch.search.SearchContextMissingException;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.transport.TaskTransportChannel;
import org.opensearch.transport.TcpTransportChannel;
import org.opensearch.transport.TransportChannel;

/** What a node does with requests of the fetch phase. */
enum FetchFault {
  /** It answers them. */
  PASS {
    @Override
    void apply(TransportChannel channel) {}
  },
  /** It answers them only after it was switched to another fault, or to none. */
  HOLD_REQUEST {
    @Override
    void apply(TransportChannel channel) {}
  },
  /** It says that it does not know the search context, as after a restart. */
  IGNORE_REQUEST {
    @Override
    void apply(TransportChannel channel) {
      throw new SearchContextMissingException(new ShardSearchContextId(UUIDs.base64UUID(), 1));
    }
  },
  /** It closes the connection that they came by, and does not answer. */
  CLOSE_CONNECTION {
    @Override
    void apply(TransportChannel channel) {
      if (channel instanceof TaskTransportChannel task
          && task.getChannel() instanceof TcpTransportChannel tcp) {
        tcp.getChannel().close();
      }
      throw new OpenSearchException("the node was told to drop every fetch");
    }
  },
  /** Its process ends at once, as by SIGKILL. */
  HALT_NODE {
    @Override
    void apply(TransportChannel channel) {
      Runtime.getRuntime().halt(137);
    }
  };

  /** Reads a name in kebab case. */
  static FetchFault of(String name) {
    for (FetchFault fault : values()) {
      if (fault.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(name)) {
        return fault;
      }
    }
    throw new IllegalArgumentException(
        "got fetches ["
            + name
            + "] (expected: pass, hold-request, ignore-request, close-connection or halt-node)");
  }

  /** Happens to a request that came by the channel; returns only when it may be answered. */
  abstract void apply(TransportChannel channel);
}
