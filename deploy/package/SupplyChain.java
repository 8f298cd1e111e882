import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Says what runs: prints and checks the jars of the class path with their checksums, and writes the bill of materials and the
 * licence report of the package. Reads nothing but the local Maven repository. Its output depends on its input alone.
 *
 * <pre>
 * java deploy/package/SupplyChain.java lock CLASSPATH-FILE                 prints the jars and their checksums
 * java deploy/package/SupplyChain.java check CLASSPATH-FILE LOCK-FILE      compares them with the checked-in ones
 * java deploy/package/SupplyChain.java reports CLASSPATH-FILE VERSION TIME DIRECTORY
 * </pre>
 */
final class SupplyChain {
  private SupplyChain() {}

  /**
   * A jar of the local repository.
   *
   * @param classifier empty for none
   * @param licenses names, from its POM or the nearest parent that has some
   */
  record Artifact(String group, String name, String version, String classifier, String sha256, List<String> licenses) {
    String coordinates() {
      return group + ":" + name + ":" + version + (classifier.isEmpty() ? "" : ":" + classifier);
    }

    String packageUrl() {
      return "pkg:maven/" + group + "/" + name + "@" + version
          + (classifier.isEmpty() ? "?type=jar" : "?classifier=" + classifier + "&type=jar");
    }
  }

  public static void main(String[] args) throws IOException {
    int expected = args.length == 0 ? -1 : switch (args[0]) {
      case "lock" -> 2;
      case "check" -> 3;
      case "reports" -> 5;
      default -> -1;
    };
    if (args.length != expected) {
      System.err.println("usage: SupplyChain lock FILE | check FILE LOCK | reports FILE VERSION TIME DIRECTORY");
      System.exit(2);
    }
    Map<String, Artifact> artifacts = read(Path.of(args[1]));
    switch (args[0]) {
      case "lock" -> artifacts.values().forEach(one -> System.out.println(line(one)));
      case "check" -> check(artifacts, Path.of(args[2]));
      default -> {
        Path to = Path.of(args[4]);
        Files.writeString(to.resolve("sbom.cdx.json"), bom(artifacts.values().stream().toList(), args[2], args[3]));
        Files.writeString(to.resolve("licenses.csv"), licenses(artifacts.values().stream().toList()));
      }
    }
  }

  private static String line(Artifact one) {
    return one.sha256() + "  " + one.coordinates();
  }

  /** The jars of a class path by coordinates, in their order; the modules of this build are left out. */
  private static Map<String, Artifact> read(Path classPath) throws IOException {
    Map<String, Artifact> artifacts = new TreeMap<>();
    for (String entry : Files.readString(classPath).strip().split(":")) {
      Path jar = Path.of(entry);
      Path versionFolder = jar.getParent();
      if (!entry.endsWith(".jar") || versionFolder == null) {
        continue;
      }
      String version = versionFolder.getFileName().toString();
      String name = versionFolder.getParent().getFileName().toString();
      Path pom = versionFolder.resolve(name + "-" + version + ".pom");
      if (Files.exists(pom)) {
        Artifact one = artifact(jar, pom, name, version);
        artifacts.put(one.coordinates(), one);
      }
    }
    return artifacts;
  }

  private static Artifact artifact(Path jar, Path pom, String name, String version) throws IOException {
    Element project = parse(pom);
    String group = text(project, "groupId");
    if (group.isEmpty()) {
      group = text(child(project, "parent"), "groupId");
    }
    Path repository = pom.getParent().getParent().getParent();
    for (int i = 0; i < group.split("\\.").length; i++) {
      repository = repository.getParent();
    }
    String file = jar.getFileName().toString();
    String rest = file.substring((name + "-" + version).length(), file.length() - ".jar".length());
    return new Artifact(
        group, name, version, rest.startsWith("-") ? rest.substring(1) : "", sha256(jar), licensesOf(project, repository));
  }

  private static List<String> licensesOf(Element project, Path repository) {
    Element at = project;
    for (int depth = 0; depth < 10 && at != null; depth++) {
      Set<String> names = new LinkedHashSet<>();
      for (Element license : children(child(at, "licenses"), "license")) {
        String name = text(license, "name");
        names.add(name.isEmpty() ? text(license, "url") : name);
      }
      if (!names.isEmpty()) {
        return List.copyOf(names);
      }
      Element parent = child(at, "parent");
      String version = text(parent, "version");
      String name = text(parent, "artifactId");
      Path pom =
          repository
              .resolve(text(parent, "groupId").replace('.', '/'))
              .resolve(name)
              .resolve(version)
              .resolve(name + "-" + version + ".pom");
      at = parent == null || !Files.exists(pom) ? null : parse(pom);
    }
    return List.of();
  }

  private static void check(Map<String, Artifact> artifacts, Path lock) throws IOException {
    Map<String, String> expected = new LinkedHashMap<>();
    for (String line : Files.readAllLines(lock)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.split("\\s+", 2);
        expected.put(parts[1], parts[0]);
      }
    }
    List<String> problems = new ArrayList<>();
    artifacts.values().forEach(one -> {
      String sha256 = expected.remove(one.coordinates());
      if (sha256 == null) {
        problems.add(one.coordinates() + " is not in " + lock.getFileName());
      } else if (!sha256.equals(one.sha256())) {
        problems.add(one.coordinates() + ": got " + one.sha256() + " (expected: " + sha256 + ")");
      }
    });
    expected.keySet().forEach(missing -> problems.add(missing + " is no longer on the class path"));
    if (!problems.isEmpty()) {
      problems.forEach(System.err::println);
      System.err.println("Review the change, then write the file again: deploy/package/lock");
      System.exit(1);
    }
    System.out.println(artifacts.size() + " jars match " + lock.getFileName());
  }

  private static String licenses(List<Artifact> artifacts) {
    StringBuilder report = new StringBuilder("artifact,licenses\n");
    artifacts.forEach(one ->
        report.append(csv(one.coordinates())).append(',').append(csv(String.join("; ", one.licenses()))).append('\n'));
    return report.toString();
  }

  private static String csv(String text) {
    return text.matches("[^\",\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  /** A bill of materials in the format CycloneDX 1.6. */
  private static String bom(List<Artifact> artifacts, String version, String time) {
    String components = artifacts.stream().map(SupplyChain::component).collect(Collectors.joining(",\n"));
    UUID serial = UUID.nameUUIDFromBytes((version + time + components).getBytes());
    return """
        {
          "bomFormat": "CycloneDX",
          "specVersion": "1.6",
          "serialNumber": "urn:uuid:%s",
          "version": 1,
          "metadata": {
            "timestamp": %s,
            "component": {"type": "application", "bom-ref": "weir", "name": "weir", "version": %s}
          },
          "components": [
        %s
          ]
        }
        """
        .formatted(serial, json(time), json(version), components);
  }

  private static String component(Artifact one) {
    String licenses =
        one.licenses().stream()
            .map(name -> "{\"license\": {\"name\": " + json(name) + "}}")
            .collect(Collectors.joining(", "));
    return "    {\"type\": \"library\", \"bom-ref\": " + json(one.packageUrl())
        + ", \"group\": " + json(one.group()) + ", \"name\": " + json(one.name())
        + ", \"version\": " + json(one.version()) + ", \"purl\": " + json(one.packageUrl())
        + ", \"hashes\": [{\"alg\": \"SHA-256\", \"content\": \"" + one.sha256() + "\"}]"
        + ", \"licenses\": [" + licenses + "]}";
  }

  private static String json(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }

  private static String sha256(Path file) throws IOException {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static Element parse(Path pom) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalArgumentException("got no POM in " + pom, e);
    }
  }

  private static List<Element> children(Element of, String name) {
    List<Element> found = new ArrayList<>();
    for (Node at = of == null ? null : of.getFirstChild(); at != null; at = at.getNextSibling()) {
      if (at instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }

  private static Element child(Element of, String name) {
    List<Element> found = children(of, name);
    return found.isEmpty() ? null : found.getFirst();
  }

  private static String text(Element of, String name) {
    Element found = child(of, name);
    return found == null ? "" : found.getTextContent().strip().replaceAll("\\s+", " ");
  }
}
