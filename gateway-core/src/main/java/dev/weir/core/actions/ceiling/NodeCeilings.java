package dev.weir.core.actions.ceiling;

import dev.weir.config.policy.NodeCeilingPolicy;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import java.util.HashMap;
import java.util.Map;

/**
 * Adds to the calls of a search what it may hold on a node, by the request's policy. Safe on any
 * thread.
 *
 * <p>The whole ceiling goes with each call, not what the request may still take of the gateway's
 * memory: that depends on the moment, and on another heap. A node adds up what all shards of the
 * search hold.
 */
public final class NodeCeilings {
  /**
   * The thread-context header, read by {@code dev.weir.node.ceiling.RequestCeilings} of the plugin:
   * {@code bytes=N,buckets=N,search=ID}, of which one limit may be missing. Calls of a search may
   * have parent tasks of their own, to be cancelled alone, so that only the id tells which belong
   * together.
   */
  static final String HEADER = "weir-request-ceiling";

  private final RequestPolicy.Section<String> section;

  /** Registers the section of policies. */
  public NodeCeilings(PolicySectionRegistry<RequestMemoryPolicy> sections) {
    this.section = sections.register((name, policy, before) -> header(policy.nodeCeiling()));
  }

  /**
   * Returns the transport headers of a search's calls: without a ceiling, the request's own.
   *
   * @param searchId of this search alone, among those of all gateways
   */
  public Map<String, String> headers(RequestContext context, String searchId) {
    String ceiling = context.resources().policy().get(section);
    if (ceiling.isEmpty()) {
      return context.transportHeaders();
    }
    Map<String, String> headers = new HashMap<>(context.transportHeaders());
    headers.put(HEADER, ceiling + ",search=" + searchId);
    return Map.copyOf(headers);
  }

  /** Returns the header's value; empty without a ceiling. */
  static String header(NodeCeilingPolicy policy) {
    String bytes = policy.maxBytes().bytes() == 0 ? "" : "bytes=" + policy.maxBytes().bytes();
    String buckets = policy.maxBuckets() == 0 ? "" : "buckets=" + policy.maxBuckets();
    return bytes.isEmpty() || buckets.isEmpty() ? bytes + buckets : bytes + "," + buckets;
  }
}
