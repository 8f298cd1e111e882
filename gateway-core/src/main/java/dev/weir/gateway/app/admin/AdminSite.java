package dev.weir.gateway.app.admin;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** All admin pages, by method and path. Immutable; safe on any thread. */
public final class AdminSite {
  private final Map<String, Map<String, QueriedPage>> pages;

  private AdminSite(Map<String, Map<String, QueriedPage>> pages) {
    this.pages = pages;
  }

  /** Starts with no page. */
  public static Builder builder() {
    return new Builder();
  }

  AdminReply answer(String method, String path, Map<String, String> query) {
    Map<String, QueriedPage> methods = pages.get(path);
    if (methods == null) {
      return path.equals("/")
          ? AdminReply.text(200, index())
          : AdminReply.text(404, "got " + path + " (expected: one of)\n" + index());
    }
    QueriedPage page = methods.get(method);
    if (page == null) {
      String expected = String.join(", ", methods.keySet());
      return AdminReply.text(405, "got " + method + " (expected: " + expected + ")\n");
    }
    return page.show(query);
  }

  private String index() {
    return pages.entrySet().stream()
        .flatMap(page -> page.getValue().keySet().stream().map(m -> m + " " + page.getKey() + "\n"))
        .collect(Collectors.joining());
  }

  /** Gathers pages; not safe on several threads. */
  public static final class Builder {
    private final Map<String, Map<String, QueriedPage>> pages = new LinkedHashMap<>();

    private Builder() {}

    /** Adds a page that only shows something. */
    public Builder get(String path, AdminPage page) {
      return with("GET", path, query -> page.show());
    }

    /** Adds a page that shows what its address asks for. */
    public Builder getWith(String path, QueriedPage page) {
      return with("GET", path, page);
    }

    /** Adds a page that does something. */
    public Builder post(String path, AdminPage page) {
      return with("POST", path, query -> page.show());
    }

    /** Adds a page that does, or shows, what its address asks for. */
    public Builder postWith(String path, QueriedPage page) {
      return with("POST", path, page);
    }

    private Builder with(String method, String path, QueriedPage page) {
      pages.computeIfAbsent(path, p -> new LinkedHashMap<>()).put(method, page);
      return this;
    }

    /** The pages gathered so far. */
    public AdminSite build() {
      return new AdminSite(pages);
    }
  }
}
