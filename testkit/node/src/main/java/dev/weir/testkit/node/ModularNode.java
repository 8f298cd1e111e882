package dev.weir.testkit.node;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.opensearch.Version;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.TransportService;

/** An OpenSearch node whose modules come from the class path. */
final class ModularNode extends Node {
  private static final String PAINLESS = "org.opensearch.painless.PainlessModulePlugin";
  private static final List<String> MODULES =
      List.of(
          "org.opensearch.transport.Netty4ModulePlugin",
          PAINLESS,
          "org.opensearch.index.reindex.ReindexModulePlugin",
          "org.opensearch.script.mustache.MustacheModulePlugin",
          "org.opensearch.join.ParentJoinModulePlugin",
          "org.opensearch.percolator.PercolatorModulePlugin",
          "org.opensearch.index.rankeval.RankEvalModulePlugin",
          "org.opensearch.search.aggregations.matrix.MatrixAggregationModulePlugin",
          "org.opensearch.index.mapper.MapperExtrasModulePlugin");

  /** Maven Central does not have this module of every release. */
  private static final String SEARCH_PIPELINES =
      "org.opensearch.search.pipeline.common.SearchPipelineCommonModulePlugin";

  /** Modules that extend Painless with their own allow lists. */
  private static final List<String> PAINLESS_MODULES =
      List.of(
          "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
          SEARCH_PIPELINES,
          "org.opensearch.ingest.common.IngestCommonModulePlugin");

  ModularNode(Environment environment, List<ExtraPlugin> extraPlugins) {
    super(environment, describesPlugins() ? plugins(extraPlugins) : classes(extraPlugins), true);
  }

  /** Older nodes take the classes of plugins, and their modules have shorter names. */
  private static boolean describesPlugins() {
    return isOnClassPath(PAINLESS);
  }

  private static boolean isOnClassPath(String className) {
    return ModularNode.class.getClassLoader().getResource(className.replace('.', '/') + ".class")
        != null;
  }

  private static Stream<String> painlessModules() {
    return PAINLESS_MODULES.stream()
        .filter(name -> !name.equals(SEARCH_PIPELINES) || isOnClassPath(name));
  }

  /** Both versions have a constructor with a collection, of other elements. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Collection<PluginInfo> classes(List<ExtraPlugin> extraPlugins) {
    Stream<String> modules =
        Stream.concat(MODULES.stream(), painlessModules())
            .map(name -> name.equals(SEARCH_PIPELINES) ? name : name.replace("Module", ""));
    return (Collection)
        Stream.concat(modules, extraPlugins.stream().map(ExtraPlugin::className))
            .map(ModularNode::classOf)
            .toList();
  }

  private static Class<?> classOf(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("got the plugin " + name + " (expected: a class)", e);
    }
  }

  private static List<PluginInfo> plugins(List<ExtraPlugin> extraPlugins) {
    List<PluginInfo> plugins = new ArrayList<>();
    MODULES.forEach(name -> plugins.add(plugin(name, name, List.of())));
    painlessModules().forEach(name -> plugins.add(plugin(name, name, List.of(PAINLESS))));
    extraPlugins.forEach(extra -> plugins.add(plugin(extra.name(), extra.className(), List.of())));
    return plugins;
  }

  private static PluginInfo plugin(String name, String className, List<String> extended) {
    return new PluginInfo(
        name,
        "from the class path",
        Version.CURRENT.toString(),
        Version.CURRENT,
        "21",
        className,
        null,
        extended,
        false);
  }

  /** The line that tells the parent where the started node listens. */
  String describe() {
    return "started http="
        + address(injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress())
        + " transport="
        + address(injector().getInstance(TransportService.class).boundAddress().publishAddress())
        + " id="
        + injector().getInstance(TransportService.class).getLocalNode().getId();
  }

  private static String address(TransportAddress published) {
    InetSocketAddress address = published.address();
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
