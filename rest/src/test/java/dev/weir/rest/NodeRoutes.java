package dev.weir.rest;

import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.opensearch.action.ActionModule;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.IndexScopedSettings;
import org.opensearch.common.settings.SettingsFilter;
import org.opensearch.core.indices.breaker.NoneCircuitBreakerService;
import org.opensearch.extensions.NoopExtensionsManager;
import org.opensearch.identity.IdentityService;
import org.opensearch.indices.SystemIndices;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestRequest;
import org.opensearch.script.mustache.MustacheModulePlugin;
import org.opensearch.transport.client.node.NodeClient;
import org.opensearch.usage.UsageService;

/** The route table of a real node: all of the server's REST handlers, and a module's. */
final class NodeRoutes {
  private static final String ACTIONS = "org.opensearch.rest.action.";

  private final RestController controller;

  NodeRoutes(OpenSearchRegistries registries, RestThreadContext context) throws IOException {
    var threadPool = context.threadPool();
    var identity = new IdentityService(registries.settings(), threadPool, List.of());
    List<ActionPlugin> plugins = List.of(new MustacheModulePlugin());
    ActionModule actions =
        new ActionModule(
            registries.settings(),
            new IndexNameExpressionResolver(context.threadContext()),
            IndexScopedSettings.DEFAULT_SCOPED_SETTINGS,
            registries.clusterSettings(),
            new SettingsFilter(List.of()),
            threadPool,
            plugins,
            new NodeClient(registries.settings(), threadPool),
            new NoneCircuitBreakerService(),
            new UsageService(),
            new SystemIndices(new HashMap<>()),
            identity,
            new NoopExtensionsManager(identity));
    actions.initRestHandlers(() -> DiscoveryNodes.EMPTY_NODES);
    this.controller = actions.getRestController();
  }

  /** The paths as registered, such as {@code /{index}/_search}. */
  Set<String> paths() {
    Set<String> paths = new TreeSet<>();
    controller.getAllHandlers().forEachRemaining(handlers -> paths.add(handlers.getPath()));
    return paths;
  }

  /**
   * The class that handles a request, from {@code org.opensearch.rest.action} on; empty for none.
   */
  String handlerOf(String method, String path) {
    return controller
        .dispatchHandler(path, path, RestRequest.Method.valueOf(method), new HashMap<>())
        .map(handler -> handler.getClass().getName())
        .map(name -> name.startsWith(ACTIONS) ? name.substring(ACTIONS.length()) : name)
        .orElse("");
  }
}
