package dev.weir.advice.snapshot;

import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import dev.weir.client.UnreachableException;
import dev.weir.client.settings.LayeredSettings;
import java.io.IOException;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads a snapshot: each API once, one after the other. An API that fails leaves a gap, and the
 * snapshot says why. For one thread, which it blocks.
 */
public final class SnapshotReader {
  private final ApiReader cluster;
  private final @Nullable ApiReader admin;
  private final InstantSource clock;
  private final Map<ApiSource, String> unavailable = new EnumMap<>(ApiSource.class);

  /**
   * Reads nothing yet.
   *
   * @param admin the gateway's admin port; null for none
   */
  public SnapshotReader(ApiReader cluster, @Nullable ApiReader admin) {
    this(cluster, admin, InstantSource.system());
  }

  /**
   * Reads nothing yet.
   *
   * @param admin the gateway's admin port; null for none
   * @param clock by which copies of shards have an age
   */
  public SnapshotReader(ApiReader cluster, @Nullable ApiReader admin, InstantSource clock) {
    this.cluster = cluster;
    this.admin = admin;
    this.clock = clock;
  }

  /** Reads a response while it arrives. */
  @FunctionalInterface
  private interface Parser {
    void parse(InputStream stream) throws IOException;
  }

  /**
   * Reads everything.
   *
   * @throws IOException if nothing of the cluster could be read; the message says why
   */
  public ClusterSnapshot read() throws IOException, InterruptedException {
    LayeredSettings settings = LayeredSettings.of(tree(ApiSource.CLUSTER_SETTINGS));
    List<NodeFacts> nodes = nodes(tree(ApiSource.NODES), tree(ApiSource.NODE_STATS));
    Set<String> rolledOver = rolledOver();
    List<IndexFacts> indices = indices(rolledOver);
    List<ShardFacts> shards = shards();
    List<String> exclusions =
        tree(ApiSource.COORDINATION)
            .children("metadata", "cluster_coordination", "voting_config_exclusions")
            .stream()
            .map(one -> one.text("node_name"))
            .toList();
    TrafficFacts traffic = traffic(tree(ApiSource.TRAFFIC), tree(ApiSource.GATEWAY_CONFIG));
    long failed = unavailable.keySet().stream().filter(one -> !one.isOfAdminPort()).count();
    long all = List.of(ApiSource.values()).stream().filter(one -> !one.isOfAdminPort()).count();
    if (failed == all) {
      throw new IOException(
          "can't read the cluster: " + unavailable.get(ApiSource.CLUSTER_SETTINGS));
    }
    return new ClusterSnapshot(
        settings, nodes, indices, new ShardCopies(shards), exclusions, traffic, unavailable);
  }

  private JsonTree tree(ApiSource source) throws IOException, InterruptedException {
    JsonTree[] tree = {JsonTree.MISSING};
    read(source, stream -> tree[0] = JsonReader.read(stream));
    return tree[0];
  }

  private void read(ApiSource source, Parser parser) throws IOException, InterruptedException {
    ApiReader api = source.isOfAdminPort() ? admin : cluster;
    if (api == null) {
      unavailable.put(source, "no gateway's admin port was given");
      return;
    }
    try (InputStream stream = api.get(source.path())) {
      parser.parse(stream);
    } catch (UnreachableException e) {
      if (!source.isOfAdminPort()) {
        throw new IOException("can't read the cluster: " + e.getMessage(), e);
      }
      unavailable.put(source, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      unavailable.put(source, String.valueOf(e.getMessage()));
    }
  }

  private static List<NodeFacts> nodes(JsonTree tree, JsonTree stats) {
    List<NodeFacts> nodes = new ArrayList<>();
    tree.child("nodes")
        .forEachMember((id, node) -> nodes.add(node(node, stats.child("nodes", id))));
    return nodes;
  }

  private static NodeFacts node(JsonTree node, JsonTree stats) {
    long machine = stats.child("os", "mem", "total_in_bytes").toLong(-1);
    long container = stats.child("os", "cgroup", "memory", "limit_in_bytes").toLong(Long.MAX_VALUE);
    return new NodeFacts(
        node.text("name"),
        node.text("host"),
        node.text("version"),
        new TreeSet<>(node.texts("roles")),
        node.child("attributes").memberTexts(),
        new TreeSet<>(node.children("plugins").stream().map(one -> one.text("name")).toList()),
        new NodeFacts.Memory(
            node.child("jvm", "mem", "heap_max_in_bytes").toLong(-1),
            node.isTrue("jvm", "using_compressed_ordinary_object_pointers"),
            node.isTrue("process", "mlockall"),
            machine <= 0 ? -1 : Math.min(machine, container),
            stats.child("os", "swap", "total_in_bytes").toLong(-1)),
        new NodeFacts.Disk(
            stats.child("fs", "total", "total_in_bytes").toLong(-1),
            stats.child("fs", "total", "available_in_bytes").toLong(-1)));
  }

  /** The indices of data streams and aliases that a later index has replaced. */
  private Set<String> rolledOver() throws IOException, InterruptedException {
    RolledOverIndices found = new RolledOverIndices();
    read(ApiSource.ALIASES, stream -> JsonReader.forEachMember(stream, found::addAliases));
    tree(ApiSource.DATA_STREAMS).children("data_streams").forEach(found::addDataStream);
    return found.names();
  }

  private List<IndexFacts> indices(Set<String> rolledOver)
      throws IOException, InterruptedException {
    Map<String, Map<String, String>> settings = new HashMap<>();
    read(
        ApiSource.INDEX_SETTINGS,
        stream ->
            JsonReader.forEachMember(
                stream,
                (name, index) -> settings.put(name, index.child("settings").memberTexts())));
    Map<String, IndexFacts.Mapping> mappings = new HashMap<>();
    read(
        ApiSource.MAPPINGS,
        stream ->
            JsonReader.forEachMember(
                stream, (name, index) -> mappings.put(name, mapping(index.child("mappings")))));
    List<IndexFacts> indices = new ArrayList<>();
    read(
        ApiSource.INDICES,
        stream ->
            JsonReader.forEachElement(
                stream,
                row -> {
                  String name = row.text("index");
                  indices.add(
                      new IndexFacts(
                          name,
                          row.text("status").equals("open"),
                          size(row),
                          settings.getOrDefault(name, Map.of()),
                          mappings.getOrDefault(name, IndexFacts.Mapping.UNKNOWN),
                          rolledOver.contains(name)));
                }));
    return indices;
  }

  private static IndexFacts.Size size(JsonTree row) {
    return new IndexFacts.Size(
        (int) row.child("pri").toLong(0),
        (int) row.child("rep").toLong(0),
        row.child("docs.count").toLong(0),
        row.child("docs.deleted").toLong(0),
        row.child("pri.store.size").toLong(0),
        row.child("pri.segments.count").toLong(0),
        row.child("pri.indexing.index_total").toLong(0));
  }

  private static IndexFacts.Mapping mapping(JsonTree mappings) {
    return new IndexFacts.Mapping(countFields(mappings), mappings.text("dynamic"));
  }

  private static int countFields(JsonTree object) {
    int[] count = {0};
    for (String group : new String[] {"properties", "fields"}) {
      object.child(group).forEachMember((name, field) -> count[0] += 1 + countFields(field));
    }
    return count[0];
  }

  /**
   * The clock and the queries are read before the recoveries, so a copy that is opened meanwhile
   * has an unknown age, and not the queries of an earlier one.
   */
  private List<ShardFacts> shards() throws IOException, InterruptedException {
    long nowMillis = clock.millis();
    List<ShardFacts> shards = new ArrayList<>();
    read(
        ApiSource.SHARDS,
        stream -> JsonReader.forEachElement(stream, row -> shards.add(shard(row))));
    OpeningTimes opened = new OpeningTimes();
    read(ApiSource.RECOVERIES, stream -> JsonReader.forEachElement(stream, opened::add));
    return shards.stream()
        .map(shard -> shard.withOpenMillis(opened.openMillis(shard, nowMillis)))
        .toList();
  }

  /** A copy without its age. */
  private static ShardFacts shard(JsonTree row) {
    String state = row.text("state");
    String node = row.text("node");
    int arrow = node.indexOf(" -> "); // of a shard that moves: "from -> address id to"
    return new ShardFacts(
        row.text("index"),
        (int) row.child("shard").toLong(0),
        row.text("prirep").equals("p"),
        state.equals("STARTED") || state.equals("RELOCATING"),
        arrow < 0 ? node : node.substring(0, arrow),
        row.child("store").toLong(0),
        row.child("search.query_total").toLong(0),
        -1);
  }

  private static TrafficFacts traffic(JsonTree stats, JsonTree config) {
    List<TrafficFacts.NodeState> nodes =
        stats.children("nodes").stream()
            .map(node ->
                new TrafficFacts.NodeState(
                    node.text("name"), node.text("health"), node.text("health_reason")))
            .toList();
    return new TrafficFacts(
        usage(stats.child("usage", "by_index")),
        usage(stats.child("usage", "by_tenant")),
        nodes,
        bounds(config.child("admission")));
  }

  /** A rate limit without tenants is one of all of them. */
  private static TenantBounds bounds(JsonTree admission) {
    List<String> paced = new ArrayList<>();
    for (JsonTree rule : admission.children("pacing", "rules")) {
      List<String> tenants = rule.texts("tenants");
      paced.addAll(tenants.isEmpty() ? List.of("*") : tenants);
    }
    return new TenantBounds(admission.child("tenants", "weights").memberTexts().keySet(), paced);
  }

  private static TrafficFacts.Usage usage(JsonTree tree) {
    Map<String, TrafficFacts.Count> top = new LinkedHashMap<>();
    for (JsonTree row : tree.children("top")) {
      top.put(
          row.text("name"),
          new TrafficFacts.Count(row.child("requests").toLong(0), row.child("took_ms").toLong(0)));
    }
    return new TrafficFacts.Usage(
        top, tree.child("other", "requests").toLong(0), tree.child("other", "took_ms").toLong(0));
  }
}
