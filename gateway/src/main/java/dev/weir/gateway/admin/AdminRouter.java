package dev.weir.gateway.admin;

import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.observe.admin.ParameterizedAdminPage;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All admin pages, by method and path. Immutable; safe on any thread. */
public final class AdminRouter {
  private final Map<String, Map<String, ParameterizedAdminPage>> pages;
  private final Map<String, StaticFiles> folders;

  private AdminRouter(
      Map<String, Map<String, ParameterizedAdminPage>> pages, Map<String, StaticFiles> folders) {
    this.pages = pages;
    this.folders = folders;
  }

  /** Creates a builder without pages. */
  public static Builder builder() {
    return new Builder();
  }

  AdminResponse respond(AdminRequest request) {
    PathMatch match = find(request.path());
    Map<String, ParameterizedAdminPage> methods = match == null ? null : match.methods;
    if (match == null || methods == null) {
      return redirectToIndex(request);
    }
    ParameterizedAdminPage page = methods.get(request.method());
    if (page == null) {
      String expected = String.join(", ", methods.keySet());
      return AdminResponse.text(405, "got " + request.method() + " (expected: " + expected + ")\n");
    }
    String objection =
        request.method().equals("GET")
            ? null
            : CrossSiteRequestGuard.findViolation(request.headers());
    return objection == null
        ? page.render(match.addTo(request.query()))
        : AdminResponse.text(403, objection);
  }

  /**
   * The pages of a path.
   *
   * @param variables the decoded parts of the path that the pages name
   */
  private record PathMatch(
      Map<String, ParameterizedAdminPage> methods, Map<String, String> variables) {
    Map<String, String> addTo(Map<String, String> query) {
      if (variables.isEmpty()) {
        return query;
      }
      Map<String, String> all = new LinkedHashMap<>(query);
      all.putAll(variables);
      return all;
    }
  }

  private @Nullable PathMatch find(String path) {
    Map<String, ParameterizedAdminPage> exact = pages.get(path);
    if (exact != null) {
      return new PathMatch(exact, Map.of());
    }
    for (Map.Entry<String, Map<String, ParameterizedAdminPage>> page : pages.entrySet()) {
      Map<String, String> variables =
          page.getKey().contains("{") ? match(page.getKey(), path) : null;
      if (variables != null) {
        return new PathMatch(page.getValue(), variables);
      }
    }
    return null;
  }

  /** Matches a path with a template such as {@code /nodes/{node}/drain}; null if it differs. */
  private static @Nullable Map<String, String> match(String template, String path) {
    String[] expected = template.split("/", -1);
    String[] parts = path.split("/", -1);
    if (parts.length != expected.length) {
      return null;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < parts.length; i++) {
      if (expected[i].startsWith("{")) {
        String name = expected[i].substring(1, expected[i].length() - 1);
        try {
          variables.put(name, QueryStringDecoder.decodeComponent(parts[i].replace("+", "%2B")));
        } catch (IllegalArgumentException malformedEscape) {
          return null;
        }
      } else if (!expected[i].equals(parts[i])) {
        return null;
      }
    }
    return variables;
  }

  /** Returns whether the path of a request has a page. */
  boolean serves(AdminRequest request) {
    return find(request.path()) != null;
  }

  /** Returns whether a request asks for a change. A path that GET reads is read by POST too. */
  boolean changesState(AdminRequest request) {
    PathMatch match = find(request.path());
    return match != null && request.method().equals("POST") && !match.methods.containsKey("GET");
  }

  private AdminResponse redirectToIndex(AdminRequest request) {
    String path = request.path();
    for (Map.Entry<String, StaticFiles> folder : folders.entrySet()) {
      String name = folder.getKey();
      boolean browser =
          path.equals("/")
              && request.headers().get(HttpHeaderNames.ACCEPT, "").startsWith("text/html");
      if (browser || name.equals(path + "/")) {
        return AdminResponse.redirect(name.substring(1)); // relative: a proxy may add a prefix
      }
      if (path.startsWith(name)) {
        return folder.getValue().respond(path.substring(name.length()), request);
      }
    }
    return path.equals("/")
        ? AdminResponse.text(200, renderIndex())
        : AdminResponse.text(404, "got " + path + " (expected: one of)\n" + renderIndex());
  }

  private String renderIndex() {
    return pages.entrySet().stream()
            .flatMap(
                page -> page.getValue().keySet().stream().map(m -> m + " " + page.getKey() + "\n"))
            .collect(Collectors.joining())
        + folders.keySet().stream().map(f -> "GET " + f + "\n").collect(Collectors.joining());
  }

  /** Collects pages; for one thread. */
  public static final class Builder implements AdminPageRegistry {
    private final Map<String, Map<String, ParameterizedAdminPage>> pages = new LinkedHashMap<>();
    private final Map<String, StaticFiles> folders = new LinkedHashMap<>();

    private Builder() {}

    @Override
    public Builder get(String path, AdminPage page) {
      return add("GET", path, query -> page.render());
    }

    @Override
    public Builder getWithQuery(String path, ParameterizedAdminPage page) {
      return add("GET", path, page);
    }

    @Override
    public Builder post(String path, AdminPage page) {
      return add("POST", path, query -> page.render());
    }

    @Override
    public Builder postWithQuery(String path, ParameterizedAdminPage page) {
      return add("POST", path, page);
    }

    /**
     * Adds files for browsers.
     *
     * @param folder the path of the files, with a slash at both ends
     */
    public Builder files(String folder, StaticFiles files) {
      folders.put(folder, files);
      return this;
    }

    private Builder add(String method, String path, ParameterizedAdminPage page) {
      pages.computeIfAbsent(path, p -> new LinkedHashMap<>()).put(method, page);
      return this;
    }

    /** Creates the router with the collected pages. */
    public AdminRouter build() {
      return new AdminRouter(pages, folders);
    }
  }
}
