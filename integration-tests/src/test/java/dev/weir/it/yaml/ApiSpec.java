package dev.weir.it.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The specification of one REST API.
 *
 * @param name such as {@code indices.create}
 * @param paths its paths, in the file's order
 */
record ApiSpec(String name, List<ApiPath> paths) {
  /**
   * One path of an API.
   *
   * @param template such as {@code /{index}/_search}
   * @param methods methods allowed
   * @param parts names in braces
   */
  record ApiPath(String template, List<String> methods, Set<String> parts) {}

  /** Reads every API below a folder of JSON files. */
  static Map<String, ApiSpec> readAll(Path folder) throws IOException {
    Map<String, ApiSpec> specs = new HashMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).toList()) {
        String name = file.getFileName().toString().replace(".json", "");
        if (!name.startsWith("_")) {
          specs.put(name, read(name, file));
        }
      }
    }
    return specs;
  }

  /** Returns whether a path can be built from the given arguments. */
  boolean accepts(Set<String> arguments) {
    return paths.stream().anyMatch(path -> arguments.containsAll(path.parts()));
  }

  /** Returns the path that uses most of the given arguments and needs no others. */
  ApiPath bestPath(Set<String> arguments) {
    ApiPath best = null;
    for (ApiPath path : paths) {
      if (arguments.containsAll(path.parts())
          && (best == null || path.parts().size() > best.parts().size())) {
        best = path;
      }
    }
    if (best == null) {
      throw new AssertionError("no path of [" + name + "] fits the arguments " + arguments);
    }
    return best;
  }

  /** Returns whether the API only checks for existence and responds with the status alone. */
  boolean isHeadOnly() {
    return paths.stream().allMatch(path -> path.methods().equals(List.of("HEAD")));
  }

  private static ApiSpec read(String name, Path file) throws IOException {
    Map<?, ?> root;
    try (InputStream in = Files.newInputStream(file)) {
      root = XContentJson.object(in.readAllBytes());
    }
    Map<?, ?> api = (Map<?, ?>) root.values().iterator().next();
    Map<?, ?> url = (Map<?, ?>) part(api, "url");
    List<ApiPath> paths = new ArrayList<>();
    for (Object entry : (List<?>) part(url, "paths")) {
      Map<?, ?> path = (Map<?, ?>) entry;
      Set<String> parts = new HashSet<>();
      if (path.get("parts") instanceof Map<?, ?> named) {
        named.keySet().forEach(part -> parts.add((String) part));
      }
      List<String> methods =
          ((List<?>) part(path, "methods")).stream().map(String.class::cast).toList();
      paths.add(new ApiPath((String) part(path, "path"), methods, parts));
    }
    return new ApiSpec(name, paths);
  }

  private static Object part(Map<?, ?> of, String name) {
    return Objects.requireNonNull(of.get(name), name);
  }
}
