package dev.weir.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may know whom. The rules are those of ARCHITECTURE.md. */
final class ArchitectureTest {
  private static final String GATEWAY = "dev.weir.gateway.";
  private static final List<String> ROOMS =
      List.of(
          "http",
          "parse",
          "actions",
          "columnar",
          "export",
          "plan",
          "coordinate",
          "reduce",
          "cluster",
          "observe",
          "shadow",
          "app");

  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.weir");

  @Test
  void theWholeHouseIsLookedAt() {
    assertThat(HOUSE.stream().map(JavaClass::getPackageName))
        .contains("dev.weir.model", "dev.weir.routing", "dev.weir.admission", "dev.weir.protocol")
        .contains("dev.weir.config.load", "dev.weir.gateway.app", "dev.weir.gateway.reduce");
  }

  @Test
  void modelKnowsTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage("dev.weir.model..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.weir.model..", "java..", "org.jspecify..")
        .check(HOUSE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"routing", "admission", "protocol", "config.load"})
  void theLibrariesDoNotKnowOneAnother(String library) {
    String[] others =
        List.of("routing", "admission", "protocol", "config.load", "gateway").stream()
            .filter(other -> !other.equals(library))
            .map(other -> "dev.weir." + other + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("dev.weir." + library + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .check(HOUSE);
  }

  @Test
  void decisionsKnowNoLibrary() {
    classes()
        .that()
        .resideInAnyPackage("dev.weir.routing..", "dev.weir.admission..", "dev.weir.gateway.plan..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.weir.routing..",
            "dev.weir.admission..",
            "dev.weir.gateway.plan..",
            "dev.weir.model..",
            "dev.weir.config.policy..",
            "java..",
            "org.jspecify..")
        .check(HOUSE);
  }

  @Test
  void nettyStaysInProtocolHttpAndApp() {
    onlyIn(
        "io.netty..", "dev.weir.protocol..", "dev.weir.gateway.http..", "dev.weir.gateway.app..");
  }

  @Test
  void micrometerStaysInObserve() {
    onlyIn("io.micrometer..", "dev.weir.gateway.observe..");
    onlyIn("io.prometheus..", "dev.weir.gateway.observe..");
  }

  @Test
  void openTelemetryStaysInObserve() {
    onlyIn("io.opentelemetry..", "dev.weir.gateway.observe..");
  }

  @Test
  void yamlStaysInTheLoader() {
    onlyIn("org.snakeyaml..", "dev.weir.config.load..");
  }

  @Test
  void jacksonStaysWithThoseWhoReadOrWriteJson() {
    // shadow reads what two clusters answered as JSON, without OpenSearch's classes
    onlyIn(
        "tools.jackson..",
        "dev.weir.gateway.parse..",
        "dev.weir.gateway.reduce..",
        "dev.weir.gateway.shadow..");
  }

  @Test
  void openSearchStaysBehindItsSeam() {
    String[] seam = {
      "dev.weir.protocol..",
      "dev.weir.gateway.parse..",
      "dev.weir.gateway.reduce..",
      "dev.weir.gateway.cluster..",
      "dev.weir.gateway.actions..",
      "dev.weir.gateway.columnar..",
      "dev.weir.gateway.export.."
    };
    onlyIn("org.opensearch..", seam);
    onlyIn("org.apache.lucene..", seam);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "parse", "plan", "reduce", "cluster", "observe", "shadow"})
  void theseRoomsKnowNoSibling(String room) {
    onlySiblings(room);
  }

  @Test
  void coordinateKnowsPlanReduceClusterAndObserve() {
    onlySiblings("coordinate", "plan", "reduce", "cluster", "observe");
  }

  @Test
  void columnarKnowsParseAndCluster() {
    onlySiblings("columnar", "parse", "cluster");
  }

  @Test
  void exportKnowsParseColumnarAndCluster() {
    onlySiblings("export", "parse", "columnar", "cluster");
  }

  @Test
  void actionsKnowAllButTheDoorsAndTheWiring() {
    onlySiblings("actions", "parse", "cluster", "plan", "reduce", "coordinate", "observe");
  }

  @Test
  void noRoomsOfTheGatewayKnowEachOtherInACircle() {
    slices().matching(GATEWAY + "(**)").should().beFreeOfCycles().check(HOUSE);
  }

  @Test
  void namesSayWhatAThingIs() {
    noClasses()
        .should()
        .haveNameMatching(".*\\.(Default\\w*|\\w*(Manager|Helper|Utils?|Impl))")
        .check(HOUSE);
  }

  @Test
  void constructorsTakeAtMostSixParameters() {
    Set<String> longer = new TreeSet<>();
    for (JavaClass clazz : HOUSE) {
      if (!clazz.isRecord()
          && !clazz.isEnum()
          && !clazz.isAnonymousClass()
          && !clazz.isLocalClass()) {
        clazz.getConstructors().stream()
            .filter(made -> made.getRawParameterTypes().size() > 6)
            .forEach(made -> longer.add(made.getFullName()));
      }
    }
    assertThat(longer).isEmpty();
  }

  @Test
  void noRecordHoldsABuffer() {
    Set<String> holders = new TreeSet<>();
    for (JavaClass clazz : HOUSE) {
      if (clazz.isRecord()) {
        clazz.getFields().stream()
            .filter(field -> field.getRawType().isAssignableTo("io.netty.buffer.ByteBuf"))
            .forEach(field -> holders.add(field.getFullName()));
      }
    }
    assertThat(holders).as("a record is copied and compared, a buffer is owned").isEmpty();
  }

  @Test
  void filesAreShorterThanFiveHundredLines() throws IOException {
    Path root = Path.of(System.getProperty("weir.root", ".."));
    Set<String> longer = new TreeSet<>();
    for (Path module : list(root)) {
      Path sources = module.resolve("src");
      if (Files.isDirectory(sources)) {
        try (Stream<Path> files = Files.walk(sources)) {
          for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
            if (lines(file) > 500) {
              longer.add(root.relativize(file).toString());
            }
          }
        }
      }
    }
    assertThat(longer).isEmpty();
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory).toList();
    }
  }

  private static long lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    }
  }

  @Test
  void everyPackageIsNullMarked() {
    Set<String> unmarked = new TreeSet<>();
    for (JavaClass clazz : HOUSE) {
      JavaPackage room = clazz.getPackage();
      if (!room.isAnnotatedWith(NullMarked.class)) {
        unmarked.add(room.getName());
      }
    }
    assertThat(unmarked).isEmpty();
  }

  private static void onlyIn(String library, String... rooms) {
    noClasses()
        .that()
        .resideOutsideOfPackages(rooms)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(HOUSE);
  }

  private static void onlySiblings(String room, String... allowed) {
    String[] others =
        ROOMS.stream()
            .filter(other -> !other.equals(room) && !List.of(allowed).contains(other))
            .map(other -> GATEWAY + other + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage(GATEWAY + room + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .allowEmptyShould(true)
        .check(HOUSE);
  }
}
