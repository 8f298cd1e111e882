package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which module may use which module and which library, and how large modules and packages are. */
final class ModulesTest {
  private static final int MAX_MODULE_LINES = 25_000;
  private static final int MAX_PACKAGE_LINES = 6_000;

  /** ARCHITECTURE.md shows this table as it stands here. */
  private static final String IMPORTS =
      """
      module                | imports
      model                 |
      config                | model
      routing               | model config
      admission             | model config
      protocol              | model
      opensearch-internals  |
      http                  | model
      cluster-state         | model config routing protocol opensearch-internals
      observability         | model config
      rest                  | model protocol opensearch-internals
      coordinate            | model config routing admission protocol cluster-state
      reduce                | model admission protocol opensearch-internals coordinate
      gateway-core          | model config routing admission protocol opensearch-internals cluster-state observability rest coordinate reduce
      responses             | model config protocol opensearch-internals cluster-state observability rest reduce gateway-core
      bluegreen             | model config routing admission protocol http cluster-state observability rest coordinate
      rest-client           |
      operations            | model rest-client
      advice                | model rest-client
      gateway               | model config routing admission protocol http cluster-state observability rest coordinate reduce gateway-core responses bluegreen rest-client operations advice
      data-node             |
      testkit/junit         |
      testkit/fixtures      | model config
      testkit/node          | data-node
      testkit               |
      benchmarks            | model config routing admission protocol cluster-state rest coordinate gateway-core rest-client testkit/fixtures testkit
      """;

  /** A library, and the packages that may use it, each with the packages below it. */
  private static final String LIBRARIES =
      """
      library               | packages
      io.netty              | protocol http bluegreen.traffic bluegreen.shadow gateway
      io.micrometer         | observe
      io.prometheus         | observe
      io.opentelemetry      | observe.trace
      org.snakeyaml         | config.load
      tools.jackson         | rest core.reduce bluegreen.shadow client
      org.opensearch        | protocol cluster rest core responses bluegreen.dual bluegreen.compare gateway.weights node testkit bench.responses bench.authorization bench.state bench.follow
      org.apache.lucene     | protocol rest core responses bluegreen.compare node testkit
      org.apache.arrow      | responses.columnar.arrow
      com.google.flatbuffers | responses.columnar.arrow
      com.github.luben      | http protocol.compression node.compression node.codec
      com.github.benmanes   | cluster core.actions.authorization
      io.github.resilience4j | protocol bluegreen.dual
      org.jetbrains.lincheck | testkit.junit
      com.netflix.concurrency | bench.simulation
      org.HdrHistogram      | bluegreen.shadow core.reduce bench
      ch.qos.logback        | gateway
      net.logstash.logback  | gateway
      picocli               | gateway testkit.cli bench
      org.openjdk.jmh       | bench
      """;

  @Test
  void readTheClassesOfEveryModule() {
    Set<String> unread = new TreeSet<>(WeirClasses.MODULES.keySet());
    WeirClasses.ALL.forEach(found -> unread.remove(found.getName()));
    assertThat(unread).isEmpty();
    assertThat(rows(IMPORTS).keySet())
        .containsExactlyInAnyOrderElementsOf(Set.copyOf(WeirClasses.MODULES.values()));
  }

  @Test
  void importOnlyTheModulesOfTheTable() {
    Map<String, Set<String>> allowed = rows(IMPORTS);
    Set<String> forbidden = new TreeSet<>();
    WeirClasses.forEachUse((from, to) -> {
      String user = WeirClasses.moduleOf(from);
      String used = WeirClasses.moduleOf(to);
      if (!user.equals(used) && !allowed.getOrDefault(user, Set.of()).contains(used)) {
        forbidden.add(user + " -> " + used + ": " + from.getName() + " uses " + to.getName());
      }
    });
    assertThat(forbidden).isEmpty();
  }

  @Test
  void listNoImportThatNoClassNeeds() {
    Map<String, Set<String>> unused = rows(IMPORTS);
    WeirClasses.forEachUse((from, to) ->
        unused
            .getOrDefault(WeirClasses.moduleOf(from), new TreeSet<>())
            .remove(WeirClasses.moduleOf(to)));
    unused.values().removeIf(Set::isEmpty);
    assertThat(unused).isEmpty();
  }

  @Test
  void importOnlyModulesFurtherUpTheTable() {
    List<String> above = new ArrayList<>();
    for (Map.Entry<String, Set<String>> row : rows(IMPORTS).entrySet()) {
      assertThat(above).as("above " + row.getKey()).containsAll(row.getValue());
      above.add(row.getKey());
    }
  }

  @Test
  void keepEachPackageInOneModule() {
    Map<String, Set<String>> modules = new TreeMap<>();
    for (SourceFile file : SourceTree.mainFiles()) {
      modules.computeIfAbsent(file.packageName(), name -> new TreeSet<>()).add(file.module());
    }
    modules.values().removeIf(found -> found.size() == 1);
    assertThat(modules).isEmpty();
  }

  @Test
  void keepLibrariesWhereTheyBelong() {
    Map<String, Set<String>> libraries = rows(LIBRARIES);
    Set<String> forbidden = new TreeSet<>();
    for (JavaClass origin : WeirClasses.ALL) {
      String from = WeirClasses.topLevel(origin).getName();
      if ("opensearch-internals".equals(WeirClasses.MODULES.get(from))) {
        continue;
      }
      origin.getDirectDependenciesFromSelf().stream()
          .map(dependency -> WeirClasses.topLevel(dependency.getTargetClass()).getName())
          .filter(used -> !WeirClasses.MODULES.containsKey(used))
          .forEach(used ->
              libraries.forEach((library, users) -> {
                if (isBelow(used, library)
                    && users.stream().noneMatch(user -> isBelow(from, "dev.weir." + user))) {
                  forbidden.add(from + " uses " + used);
                }
              }));
    }
    assertThat(forbidden).isEmpty();
  }

  @Test
  void decideRoutingAndAdmissionWithTheJdkAlone() {
    Set<String> forbidden = new TreeSet<>();
    for (JavaClass origin : WeirClasses.ALL) {
      String from = WeirClasses.topLevel(origin).getName();
      if (List.of("model", "routing", "admission")
              .contains(WeirClasses.moduleOf(WeirClasses.topLevel(origin)))
          || from.startsWith("dev.weir.core.plan.")) {
        origin.getDirectDependenciesFromSelf().stream()
            .map(dependency -> WeirClasses.topLevel(dependency.getTargetClass()))
            .filter(used -> !used.isPrimitive() && !WeirClasses.MODULES.containsKey(used.getName()))
            .map(JavaClass::getName)
            .filter(used -> !isBelow(used, "java") && !isBelow(used, "org.jspecify"))
            .forEach(used -> forbidden.add(from + " uses " + used));
      }
    }
    assertThat(forbidden).isEmpty();
  }

  @Test
  void keepReduceOutOfCoordinate() {
    Set<String> forbidden = new TreeSet<>();
    WeirClasses.forEachUse((from, to) -> {
      if (from.getPackageName().equals("dev.weir.core.coordinate")
          && isBelow(to.getName(), "dev.weir.core.reduce")) {
        forbidden.add(from.getName() + " uses " + to.getName());
      }
    });
    assertThat(forbidden).isEmpty();
  }

  @Test
  void keepPackagesSmall() {
    new KnownViolations()
        .check("packages over the limit", over(MAX_PACKAGE_LINES, SourceFile::packageName));
  }

  @Test
  void keepModulesSmall() {
    new KnownViolations()
        .check("modules over the limit", over(MAX_MODULE_LINES, SourceFile::module));
  }

  @Test
  void showTheTablesInTheDocument() {
    String document = SourceTree.read(SourceTree.ROOT.resolve("ARCHITECTURE.md"));
    assertThat(document).as("copy the table of this test").contains(IMPORTS).contains(LIBRARIES);
  }

  private static Set<String> over(int limit, Function<SourceFile, String> group) {
    Map<String, Integer> lines = new HashMap<>();
    for (SourceFile file : SourceTree.mainFiles()) {
      lines.merge(group.apply(file), file.lines().size(), Integer::sum);
    }
    return lines.entrySet().stream()
        .filter(entry -> entry.getValue() > limit)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** The rows of a table without its heading: the first cell, and the words of the second. */
  private static Map<String, Set<String>> rows(String table) {
    Map<String, Set<String>> rows = new LinkedHashMap<>();
    table
        .lines()
        .skip(1)
        .forEach(line -> {
          String[] cells = line.split("\\|", 2);
          Set<String> words = new TreeSet<>(Arrays.asList(cells[1].trim().split(" ")));
          words.remove("");
          rows.put(cells[0].trim(), words);
        });
    return rows;
  }

  private static boolean isBelow(String className, String packageName) {
    return className.startsWith(packageName + ".");
  }
}
