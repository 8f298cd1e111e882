package dev.weir.gateway.advice;

import dev.weir.advice.snapshot.ApiReader;
import dev.weir.model.HttpStatus;
import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.observe.admin.ParameterizedAdminPage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The gateway's own read-only admin pages, asked without a connection. */
final class CapturedPages implements AdminPageRegistry {
  private final Map<String, ParameterizedAdminPage> pages = new HashMap<>();

  /** Returns the pages of a cluster as an API. */
  ApiReader of(String cluster) {
    return path -> {
      ParameterizedAdminPage page = pages.get(path);
      if (page == null) {
        throw new IOException("the gateway has no page " + path);
      }
      AdminResponse response = page.render(Map.of("cluster", cluster));
      if (response.status() != HttpStatus.OK) {
        throw new IOException("got status " + response.status() + " (expected: 200)");
      }
      return new ByteArrayInputStream(response.body().getBytes(StandardCharsets.UTF_8));
    };
  }

  @Override
  public AdminPageRegistry get(String path, AdminPage page) {
    pages.put(path, query -> page.render());
    return this;
  }

  @Override
  public AdminPageRegistry getWithQuery(String path, ParameterizedAdminPage page) {
    pages.put(path, page);
    return this;
  }

  @Override
  public AdminPageRegistry post(String path, AdminPage page) {
    return this;
  }

  @Override
  public AdminPageRegistry postWithQuery(String path, ParameterizedAdminPage page) {
    return this;
  }
}
