package clients;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jetty.JettyHttpClientFactory;
import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Checks fabric8's client, with each of its HTTP clients, against the server of KUBECONFIG. Each check prints one line, which
 * hack/clients.sh counts.
 */
public final class Main {
  private static final int SECONDS = 15;

  private final String namespace;
  private final KubernetesClient client;

  private Main(String http, KubernetesClient client) {
    this.namespace = http;
    this.client = client;
  }

  public static void main(String[] args) {
    Map<String, HttpClient.Factory> factories = new LinkedHashMap<>();
    factories.put("vertx", new VertxHttpClientFactory());
    factories.put("jdk", new JdkHttpClientFactory());
    factories.put("okhttp", new OkHttpClientFactory());
    factories.put("jetty", new JettyHttpClientFactory());
    factories.forEach((http, factory) -> {
      try (KubernetesClient client = new KubernetesClientBuilder().withHttpClientFactory(factory).build()) {
        new Main(http, client).run();
      }
    });
    // Do not wait for threads that an HTTP client left running.
    System.exit(0);
  }

  private interface Body {
    void run() throws Exception;
  }

  /** Runs a check and prints `ok NAME`, or `fail NAME` with the error, which is not thrown further. */
  private void check(String name, Body body) {
    try {
      body.run();
      System.out.println("ok\t" + namespace + ": " + name);
    } catch (Exception | AssertionError error) {
      error.printStackTrace();
      String message = String.valueOf(error).replaceAll("\\s+", " ");
      System.out.println("fail\t" + namespace + ": " + name + "\t" + message.substring(0, Math.min(200, message.length())));
    }
  }

  private static void expect(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) {
      throw new AssertionError(actual + ", expected " + expected);
    }
  }

  private static void expectStatus(int code, Body body) throws Exception {
    try {
      body.run();
    } catch (KubernetesClientException error) {
      expect(error.getCode(), code);
      return;
    }
    throw new AssertionError("no error, expected " + code);
  }

  private ConfigMap configMap(String name, String value) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(namespace).endMetadata()
        .addToData("key", value).build();
  }

  private MixedOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> configMaps() {
    return client.configMaps();
  }

  private void run() {
    objects();
    check("watch", this::watch);
    check("watch of one object", this::watchOne);
    check("informer", this::informer);
    check("wait for a condition", () -> {
      Thread writer = new Thread(() -> configMaps().inNamespace(namespace).resource(configMap("late", "1")).create());
      writer.start();
      ConfigMap found = configMaps().inNamespace(namespace).withName("late")
          .waitUntilCondition(Objects::nonNull, SECONDS, TimeUnit.SECONDS);
      writer.join();
      expect(found.getData(), Map.of("key", "1"));
    });
    check("delete", () -> {
      configMaps().inNamespace(namespace).withName("a").delete();
      expect(configMaps().inNamespace(namespace).withName("a").get(), null);
    });
  }

  private void objects() {
    check("create a namespace", () -> client.namespaces()
        .resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create());
    check("create config maps", () -> {
      for (String name : List.of("a", "b")) {
        expect(client.resource(configMap(name, "1")).create().getData(), Map.of("key", "1"));
      }
    });
    check("create what exists: 409", () -> expectStatus(409, () -> client.resource(configMap("a", "1")).create()));
    check("list by field selector", () -> expect(
        configMaps().inNamespace(namespace).withField("metadata.name", "b").list().getItems().stream()
            .map(item -> item.getMetadata().getName()).toList(), List.of("b")));
    check("edit, with a JSON patch", () -> expect(
        configMaps().inNamespace(namespace).withName("a")
            .edit(item -> new ConfigMapBuilder(item).addToData("more", "2").build()).getData(),
        Map.of("key", "1", "more", "2")));
    check("apply on the server", () -> expect(
        client.resource(configMap("applied", "1")).forceConflicts().serverSideApply()
            .getMetadata().getManagedFields().get(0).getOperation(), "Apply"));
  }

  /** Changes the object `name`. Every kind of watch must see it. */
  private void change(String name) {
    client.resource(configMap(name, "1")).create();
    client.resource(configMap(name, "2")).update();
    client.resource(configMap(name, "2")).delete();
  }

  private static void expectNext(BlockingQueue<String> seen, String... expected) throws InterruptedException {
    for (String next : expected) {
      expect(seen.poll(SECONDS, TimeUnit.SECONDS), next);
    }
  }

  private static Watcher<ConfigMap> into(BlockingQueue<String> seen, String name) {
    return new Watcher<>() {
      @Override
      public void eventReceived(Action action, ConfigMap object) {
        if (object.getMetadata().getName().equals(name)) {
          seen.add(action + " " + object.getData().get("key"));
        }
      }

      @Override
      public void onClose(WatcherException cause) {
        seen.add("closed: " + cause.getMessage());
      }
    };
  }

  private void watch() throws InterruptedException {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (Watch ignored = configMaps().inNamespace(namespace).watch(into(seen, "watched"))) {
      change("watched");
      expectNext(seen, "ADDED 1", "MODIFIED 2", "DELETED 2");
    }
  }

  private void watchOne() throws InterruptedException {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (Watch ignored = configMaps().inNamespace(namespace).withName("one").watch(into(seen, "one"))) {
      change("other");
      change("one");
      expectNext(seen, "ADDED 1", "MODIFIED 2", "DELETED 2");
    }
  }

  private void informer() throws InterruptedException {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    ResourceEventHandler<ConfigMap> handler = new ResourceEventHandler<>() {
      private void add(String what, ConfigMap object) {
        if (object.getMetadata().getName().equals("informed")) {
          seen.add(what + " " + object.getData().get("key"));
        }
      }

      @Override
      public void onAdd(ConfigMap object) {
        add("add", object);
      }

      @Override
      public void onUpdate(ConfigMap before, ConfigMap object) {
        add("update", object);
      }

      @Override
      public void onDelete(ConfigMap object, boolean unknown) {
        add("delete", object);
      }
    };
    try (SharedIndexInformer<ConfigMap> informer = configMaps().inNamespace(namespace).inform(handler)) {
      if (informer.getIndexer().getByKey(namespace + "/b") == null) {
        throw new AssertionError("b is not in the store");
      }
      change("informed");
      expectNext(seen, "add 1", "update 2", "delete 2");
    }
  }
}
