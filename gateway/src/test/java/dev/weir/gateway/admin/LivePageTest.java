package dev.weir.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.observe.admin.AdminResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the live page in a browser, and which requests may change state. */
final class LivePageTest {
  private static final Path SOURCES =
      Path.of("src/main/resources/dev/weir/gateway/admin/ui").toAbsolutePath();
  private static final Pattern LOADED = Pattern.compile("(?:src|href|from)[= ][\"']([^\"']+)");

  private final AtomicInteger drained = new AtomicInteger();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AdminServer server;

  LivePageTest() throws IOException {
    AdminRouter site =
        AdminRouter.builder()
            .get("/stats", () -> AdminResponse.text(200, "figures\n"))
            .post(
                "/drain", () -> AdminResponse.json(202, Map.of("times", drained.incrementAndGet())))
            .postWithQuery("/traffic/shift", query -> AdminResponse.json(200, query))
            .files("/ui/", StaticFiles.loadLivePage())
            .build();
    server = AdminTestServers.start(site);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HttpResponse<String> send(String method, String path, String... headers)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The status of a request with exactly these headers, including Host. */
  private int sendAsItStands(String line, String... headers) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      String head =
          line + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  @Test
  void serveOnlyTheFilesOfThePage() throws Exception {
    try (Stream<Path> files = Files.list(SOURCES)) {
      assertThat(StaticFiles.names())
          .containsExactlyInAnyOrderElementsOf(
              files.map(file -> file.getFileName().toString()).toList());
    }
    Map<String, String> types =
        Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");
    for (String name : StaticFiles.names()) {
      HttpResponse<String> file = send("GET", "/ui/" + name);
      assertThat(file.statusCode()).as(name).isEqualTo(200);
      assertThat(file.body()).as(name).isEqualTo(Files.readString(SOURCES.resolve(name)));
      assertThat(file.headers().firstValue("content-type"))
          .contains(types.get(name.substring(name.indexOf('.') + 1)));
      assertThat(file.headers().firstValue("x-content-type-options")).contains("nosniff");
      assertThat(file.headers().firstValue("content-security-policy").orElseThrow())
          .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
          .contains("frame-ancestors 'none'")
          .doesNotContain("unsafe");
    }
    assertThat(send("GET", "/ui/").body()).isEqualTo(send("GET", "/ui/index.html").body());
    HttpResponse<String> head = send("HEAD", "/ui/");
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(send("POST", "/ui/").statusCode()).isEqualTo(405);
  }

  @Test
  void letBrowsersRevalidateCachedFiles() throws Exception {
    HttpResponse<String> first = send("GET", "/ui/main.js");
    String tag = first.headers().firstValue("etag").orElseThrow();
    assertThat(tag).matches("\"[0-9a-f]{20}\"");
    assertThat(first.headers().firstValue("cache-control")).contains("no-cache");
    for (String asked : List.of(tag, "W/" + tag, "\"other\", " + tag, "*")) {
      HttpResponse<String> again = send("GET", "/ui/main.js", "If-None-Match", asked);
      assertThat(again.statusCode()).as(asked).isEqualTo(304);
      assertThat(again.body()).isEmpty();
      assertThat(again.headers().firstValue("etag")).contains(tag);
    }
    assertThat(send("GET", "/ui/heat.js", "If-None-Match", tag).statusCode()).isEqualTo(200);
    assertThat(send("GET", "/stats").headers().firstValue("cache-control")).contains("no-store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ui/nothing.js",
        "/ui/../stats",
        "/ui/..%2fstats",
        "/ui/%2e%2e/stats",
        "/ui/./main.js",
        "/ui//main.js",
        "/ui/main.js/",
        "/ui/main.js%00.html",
        "/ui/../StaticFiles.class",
        "/ui/..\\..\\main.js",
        "/ui/ui/main.js",
        "/ui/MAIN.JS",
        "//ui/main.js",
        "/uimain.js"
      })
  void serveNothingAtOtherPaths(String path) throws Exception {
    assertThat(sendAsItStands("GET " + path, "Host: localhost")).as(path).isEqualTo(404);
  }

  @Test
  void redirectBrowsersToThePage() throws Exception {
    for (String path : List.of("/ui", "/")) {
      HttpResponse<String> there = send("GET", path, "Accept", "text/html,*/*;q=0.8");
      assertThat(there.statusCode()).isEqualTo(302);
      assertThat(there.headers().firstValue("location")).contains("ui/");
    }
    assertThat(send("GET", "/").body())
        .isEqualTo("GET /stats\nPOST /drain\nPOST /traffic/shift\nGET /ui/\n");
  }

  @Test
  void loadNothingInlineOrFromOtherHosts() throws Exception {
    String page = Files.readString(SOURCES.resolve("index.html"));
    assertThat(page).doesNotContain(" style=", "<style", "javascript:");
    assertThat(page)
        .doesNotContainPattern("\\son[a-z]+=")
        .doesNotContainPattern("<script(?! type=\"module\" src=)");
    Set<String> loaded = new TreeSet<>();
    for (String name : StaticFiles.names()) {
      String text = Files.readString(SOURCES.resolve(name));
      assertThat(text.replace("http://www.w3.org/2000/svg", "")).as(name).doesNotContain("://");
      assertThat(text).as(name).doesNotContain("innerHTML", "eval(", "@import", "url(");
      Matcher found = LOADED.matcher(text);
      while (found.find()) {
        loaded.add(found.group(1).replaceFirst("^\\./", ""));
      }
    }
    Set<String> files =
        loaded.stream()
            .filter(name -> !name.startsWith("..") && !name.startsWith("#"))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> expected = new TreeSet<>(StaticFiles.names());
    expected.remove("index.html");
    assertThat(files).isEqualTo(expected);
  }

  @Test
  void allowToolsToDrain() throws Exception {
    assertThat(send("POST", "/drain").statusCode()).isEqualTo(202);
    assertThat(send("POST", "/drain", "Content-Type", "application/x-www-form-urlencoded").body())
        .contains("\"times\": 2");
    assertThat(sendAsItStands("POST /drain", "Content-Length: 0")).isEqualTo(202);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost:9250", "127.0.0.1:9250", "10.2.3.4", "[::1]:9250", "a.localhost"})
  void allowThePageToDrainUnderItsOwnName(String host) throws Exception {
    String[] headers = {
      "Host: " + host, "Origin: http://" + host, "Sec-Fetch-Site: same-origin", "Content-Length: 0"
    };
    assertThat(sendAsItStands("POST /drain", headers)).as("without its header").isEqualTo(403);
    String[] own =
        Stream.concat(Stream.of(headers), Stream.of("X-Weir-Admin-Page: drain"))
            .toArray(String[]::new);
    assertThat(sendAsItStands("POST /drain", own)).isEqualTo(202);
    assertThat(drained).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: not an origin",
        "Origin: http://localhost:9251",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site"
      })
  void rejectPagesOfOtherSites(String header) throws Exception {
    int status =
        sendAsItStands(
            "POST /drain",
            "Host: localhost:9250",
            header,
            "X-Weir-Admin-Page: drain",
            "Content-Length: 0");
    assertThat(status).isEqualTo(403);
    assertThat(drained).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/stats", "/ui/", "/"})
  void showNothingUnderForeignHostNames(String path) throws Exception {
    assertThat(sendAsItStands("GET " + path, "Host: localhost:9250")).isEqualTo(200);
    assertThat(sendAsItStands("GET " + path, "Host: rebound.evil.example:9250")).isEqualTo(403);
  }

  @Test
  void rejectForeignHostNames() throws Exception {
    int status =
        sendAsItStands(
            "POST /drain",
            "Host: rebound.evil.example:9250",
            "Origin: http://rebound.evil.example:9250",
            "X-Weir-Admin-Page: drain",
            "Content-Length: 0");
    assertThat(status).isEqualTo(403);
    assertThat(drained).hasValue(0);
  }

  @Test
  void allowTrafficShiftsOnlyFromTheGatewaysPage() throws Exception {
    String line = "POST /traffic/shift?blue=1";
    String host = "Host: localhost:9250";
    String own = "Origin: http://localhost:9250";
    String empty = "Content-Length: 0";
    assertThat(sendAsItStands(line, host, own, empty)).isEqualTo(403);
    assertThat(sendAsItStands(line, host, own, "X-Weir-Admin-Page: traffic", empty)).isEqualTo(200);
    String evil = "Origin: http://evil.example";
    assertThat(sendAsItStands(line, host, evil, "X-Weir-Admin-Page: traffic", empty))
        .isEqualTo(403);
    assertThat(send("POST", "/traffic/shift?blue=1&a%20b=2+3").body())
        .contains("\"blue\": \"1\"", "\"a b\": \"2 3\"");
  }

  @Test
  void rejectOtherOrigins() throws Exception {
    HttpResponse<String> asked =
        send(
            "OPTIONS",
            "/drain",
            "Origin",
            "http://evil.example",
            "Access-Control-Request-Method",
            "POST");
    assertThat(asked.statusCode()).isEqualTo(405);
    assertThat(asked.headers().map().keySet())
        .noneMatch(name -> name.startsWith("access-control-"));
    assertThat(send("GET", "/stats").headers().firstValue("cross-origin-resource-policy"))
        .contains("same-origin");
  }
}
