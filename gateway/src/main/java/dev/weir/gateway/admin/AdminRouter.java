package dev.weir.gateway.admin;

import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.observe.admin.ParameterizedAdminPage;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

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
    String path = request.path();
    Map<String, ParameterizedAdminPage> methods = pages.get(path);
    if (methods == null) {
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
    return objection == null ? page.render(request.query()) : AdminResponse.text(403, objection);
  }

  /** Returns whether the path of a request has a page. */
  boolean serves(AdminRequest request) {
    return pages.containsKey(request.path());
  }

  /** Returns whether a request asks for a change. A path that GET reads is read by POST too. */
  boolean changesState(AdminRequest request) {
    Map<String, ParameterizedAdminPage> methods = pages.get(request.path());
    return methods != null && request.method().equals("POST") && !methods.containsKey("GET");
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
