package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.SectionReflection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** To accept a changed schema: {@code mvn -pl config -am test -Dweir.accept=true}. */
final class JsonSchemaWriterTest {
  private static final Path ROOT = Path.of(System.getProperty("weir.root", ".."));
  private static final Path FILE = ROOT.resolve("docs").resolve("weir.schema.json");
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  /** A section of the configuration at the start of a line. */
  private static final Pattern SECTION =
      Pattern.compile(
          Arrays.stream(GatewayPolicy.class.getRecordComponents())
              .map(SectionReflection::keyOf)
              .collect(Collectors.joining("|", "^(", "):")),
          Pattern.MULTILINE);

  /** The clusters section that examples without one imply. */
  private static final String CLUSTERS =
      "clusters: {main: {seeds: [\"h:1\"], authorization: none}, blue: {seeds: [\"h:2\"],"
          + " authorization: none}, green: {seeds: [\"h:3\"], authorization: none}}\n";

  private static final String SMALLEST = "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n";

  private static final com.networknt.schema.JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7)
          .getSchema(JsonSchemaWriter.toJson());

  /** Returns a validator's findings in a file. */
  private static List<String> faults(String yaml) {
    Object tree = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    return SCHEMA.validate(new ObjectMapper().valueToTree(tree)).stream()
        .map(ValidationMessage::getMessage)
        .toList();
  }

  @Test
  void keepTheSchemaInTheDocsUpToDate() throws IOException {
    String written = JsonSchemaWriter.toJson();
    if (Boolean.getBoolean("weir.accept")) {
      Files.writeString(FILE, written);
    }
    assertThat(Files.readString(FILE)).isEqualTo(written);
    assertThat(new ObjectMapper().readTree(written).path("properties").size()).isGreaterThan(5);
  }

  @Test
  void validateTheReference() {
    assertThat(faults(ReferenceYamlWriter.toYaml())).isEmpty();
    assertThat(faults(SMALLEST + "http:\nrouting: {score-jitter-ratio: \"${JITTER:-0.1}\"}\n"))
        .isEmpty();
  }

  @Test
  void validateAndLoadEveryExample() throws IOException {
    Map<String, String> examples = examples();
    assertThat(examples).hasSizeGreaterThan(10);
    examples.forEach((name, text) -> {
      String whole = text.contains("clusters:") ? text : CLUSTERS + text;
      assertThat(faults(whole)).as(name).isEmpty();
      LoadResult result =
          new PolicyLoader(Map.of("WEIR_ADMIN_TOKEN", "0123456789abcdef")).parse(name, whole);
      List<String> others =
          result
                  instanceof
                  LoadResult.Invalid(List<ConfigurationProblem> problems, FileReferences _)
              ? problems.stream()
                  .map(ConfigurationProblem::message)
                  // certificates and secrets of other machines
                  .filter(message -> !message.contains("which is not there"))
                  .toList()
              : List.of();
      assertThat(others).as(name).isEmpty();
    });
  }

  private static Map<String, String> examples() throws IOException {
    List<Path> documents = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
    }
    Map<String, String> examples = new LinkedHashMap<>();
    for (Path document : documents) {
      Matcher blocks = YAML.matcher(Files.readString(document));
      while (blocks.find()) {
        if (SECTION.matcher(blocks.group(1)).find()) { // skips other programs' configuration
          examples.put(document.getFileName() + " " + examples.size(), blocks.group(1));
        }
      }
    }
    for (String folder : List.of("deploy/package/conf", "deploy/compose/conf")) {
      examples.put(folder, Files.readString(ROOT.resolve(folder).resolve("weir.yaml")));
    }
    return examples;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http: {lisen: 'h:1'} | lisen",
        "http: {listen: '9200'} | $.http.listen",
        "http: {event-loops: 1000} | $.http.event-loops",
        "http: {event-loops: some} | $.http.event-loops",
        "http: {max-body-bytes: 100} | $.http.max-body-bytes",
        "http: {max-body-bytes: 5%} | $.http.max-body-bytes",
        "admin: {drain-timeout: 30 seconds} | $.admin.drain-timeout",
        "routing: {algorithm: fastest} | $.routing.algorithm",
        "routing: {gateway-attributes: [zone]} | $.routing.gateway-attributes[0]",
        "admission: {pacing: {rules: [{limit-by: all}]}} | name",
        "bulk: {single-shard: {indices: logs}} | $.bulk.single-shard.indices",
        "observability: {access-log-enabled: 'on'} | $.observability.access-log-enabled"
      })
  void aWrongValueIsFound(String wrong, String place) {
    assertThat(faults(SMALLEST + wrong))
        .isNotEmpty()
        .anySatisfy(fault -> assertThat(fault).contains(place));
    assertThat(new PolicyLoader(Map.of()).parse("wrong.yaml", SMALLEST + wrong))
        .isInstanceOf(LoadResult.Invalid.class);
  }

  @Test
  void reportMissingRequiredKeys() {
    assertThat(faults("http: {event-loops: 1}\n")).singleElement().asString().contains("clusters");
    assertThat(faults("clusters: {main: {}}\n")).singleElement().asString().contains("seeds");
    assertThat(faults("clusters: {main: {seeds: []}}\n")).isNotEmpty();
  }
}
