package dev.weir.gateway.admin;

import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminReply;
import dev.weir.observe.admin.QueriedPage;

import io.netty.handler.codec.http.HttpHeaderNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** All admin pages, by method and path. Immutable; safe on any thread. */
public final class AdminSite {
  private final Map<String, Map<String, QueriedPage>> pages;
  private final Map<String, SiteFiles> folders;

  private AdminSite(Map<String, Map<String, QueriedPage>> pages, Map<String, SiteFiles> folders) {
    this.pages = pages;
    this.folders = folders;
  }

  /** Starts with no page. */
  public static Builder builder() {
    return new Builder();
  }

  AdminReply answer(AdminRequest asked) {
    String path = asked.path();
    Map<String, QueriedPage> methods = pages.get(path);
    if (methods == null) {
      return elsewhere(asked);
    }
    QueriedPage page = methods.get(asked.method());
    if (page == null) {
      String expected = String.join(", ", methods.keySet());
      return AdminReply.text(405, "got " + asked.method() + " (expected: " + expected + ")\n");
    }
    String objection =
        asked.method().equals("GET") ? null : ForeignPages.objection(asked.headers());
    return objection == null ? page.show(asked.query()) : AdminReply.text(403, objection);
  }

  private AdminReply elsewhere(AdminRequest asked) {
    String path = asked.path();
    for (Map.Entry<String, SiteFiles> folder : folders.entrySet()) {
      String name = folder.getKey();
      boolean browser =
          path.equals("/")
              && asked.headers().get(HttpHeaderNames.ACCEPT, "").startsWith("text/html");
      if (browser || name.equals(path + "/")) {
        return AdminReply.elsewhere(name.substring(1)); // relative: a proxy may add a prefix
      }
      if (path.startsWith(name)) {
        return folder.getValue().answer(path.substring(name.length()), asked);
      }
    }
    return path.equals("/")
        ? AdminReply.text(200, index())
        : AdminReply.text(404, "got " + path + " (expected: one of)\n" + index());
  }

  private String index() {
    return pages.entrySet().stream()
            .flatMap(
                page -> page.getValue().keySet().stream().map(m -> m + " " + page.getKey() + "\n"))
            .collect(Collectors.joining())
        + folders.keySet().stream().map(f -> "GET " + f + "\n").collect(Collectors.joining());
  }

  /** Gathers pages; not safe on several threads. */
  public static final class Builder implements AdminPageRegistry {
    private final Map<String, Map<String, QueriedPage>> pages = new LinkedHashMap<>();
    private final Map<String, SiteFiles> folders = new LinkedHashMap<>();

    private Builder() {}

    @Override
    public Builder get(String path, AdminPage page) {
      return with("GET", path, query -> page.show());
    }

    @Override
    public Builder getWith(String path, QueriedPage page) {
      return with("GET", path, page);
    }

    @Override
    public Builder post(String path, AdminPage page) {
      return with("POST", path, query -> page.show());
    }

    @Override
    public Builder postWith(String path, QueriedPage page) {
      return with("POST", path, page);
    }

    /**
     * Adds files for browsers.
     *
     * @param folder in which they are, with a slash on both sides
     */
    public Builder files(String folder, SiteFiles files) {
      folders.put(folder, files);
      return this;
    }

    private Builder with(String method, String path, QueriedPage page) {
      pages.computeIfAbsent(path, p -> new LinkedHashMap<>()).put(method, page);
      return this;
    }

    /** The pages gathered so far. */
    public AdminSite build() {
      return new AdminSite(pages, folders);
    }
  }
}
