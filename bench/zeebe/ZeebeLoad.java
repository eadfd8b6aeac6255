import io.camunda.zeebe.broker.Broker;
import io.camunda.zeebe.broker.SpringBrokerBridge;
import io.camunda.zeebe.broker.system.SystemContext;
import io.camunda.zeebe.broker.system.configuration.BrokerCfg;
import io.camunda.zeebe.client.ZeebeClient;
import io.camunda.zeebe.client.api.worker.JobWorker;
import io.camunda.zeebe.model.bpmn.Bpmn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A broker of Zeebe with one partition and its gateway in this process, durable and without exporters, and a client that
 * starts instances over gRPC and works on their jobs. Prints a line of JSON.
 * Arguments: folder for data, tasks of an instance, instances at a time (0: at a rate), instances a second, seconds, seconds to warm up.
 */
public final class ZeebeLoad {
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    int tasks = Integer.parseInt(args[1]);
    int callers = Integer.parseInt(args[2]);
    int rate = Integer.parseInt(args[3]);
    int seconds = Integer.parseInt(args[4]);
    int warmUp = Integer.parseInt(args[5]);
    BrokerCfg configuration = new BrokerCfg();
    configuration.getGateway().setEnable(true);
    configuration.getCluster().setPartitionsCount(1);
    configuration.init(folder.toAbsolutePath().toString());
    SystemContext context = new SystemContext(configuration, folder.toAbsolutePath().toString(), null);
    context.getScheduler().start();
    try (Broker broker = new Broker(context, new SpringBrokerBridge())) {
      broker.start().join();
      try (ZeebeClient client =
          ZeebeClient.newClientBuilder().gatewayAddress("127.0.0.1:26500").usePlaintext().build()) {
        load(client, tasks, callers, rate, seconds, warmUp);
      }
    }
    System.exit(0);
  }

  private static void load(ZeebeClient client, int tasks, int callers, int rate, int seconds, int warmUp)
      throws Exception {
    deploy(client, tasks);
    List<JobWorker> workers = new ArrayList<>();
    List<Double> handOvers = Collections.synchronizedList(new ArrayList<>());
    for (int one = 0; one < tasks; one++) {
      workers.add(
          client
              .newWorker()
              .jobType("task" + one)
              .handler(
                  (jobs, job) -> {
                    Map<String, Object> variables = job.getVariablesAsMap();
                    Object sent = variables.get("sent");
                    if (sent != null) handOvers.add(System.nanoTime() / 1e6 - ((Number) sent).doubleValue());
                    int n = ((Number) variables.get("n")).intValue();
                    jobs.newCompleteCommand(job.getKey()).variables(Map.of("n", n + 1)).send();
                  })
              .maxJobsActive(256)
              .pollInterval(Duration.ofMillis(10))
              .timeout(Duration.ofSeconds(30))
              .open());
    }
    run(client, tasks, callers, rate, warmUp);
    handOvers.clear();
    Measured measured = run(client, tasks, callers, rate, seconds);
    double[] took = measured.took.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    double[] handed = handOvers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    System.out.println(
        String.format(
            "{\"rate\": %.1f, \"failed\": %d, \"p50\": %.2f, \"p99\": %.2f, \"handOverP99\": %.2f}",
            measured.rate, measured.failed, at(took, 0.5), at(took, 0.99), at(handed, 0.99)));
    for (JobWorker worker : workers) worker.close();
  }

  private static void deploy(ZeebeClient client, int tasks) throws Exception {
    var builder = Bpmn.createExecutableProcess("tasks").startEvent();
    io.camunda.zeebe.model.bpmn.builder.AbstractFlowNodeBuilder<?, ?> at = builder;
    for (int one = 0; one < tasks; one++) {
      String type = "task" + one;
      at =
          at.serviceTask(
              type,
              task ->
                  task.zeebeJobType(type)
                      .zeebeInput("=n", "data")
                      .zeebeInput("={seed: n}", "params")
                      .zeebeOutput("=n", "n"));
    }
    var model = at.endEvent().done();
    for (int attempt = 0; ; attempt++) {
      try {
        client.newDeployCommand().addProcessModel(model, "tasks.bpmn").send().join(10, TimeUnit.SECONDS);
        return;
      } catch (RuntimeException error) {
        // Its partition has no leader yet.
        if (attempt == 60) throw error;
        Thread.sleep(500);
      }
    }
  }

  private record Measured(double rate, int failed, List<Double> took) {}

  private static Measured run(ZeebeClient client, int tasks, int callers, int rate, int seconds) throws Exception {
    List<Double> took = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger open = new AtomicInteger();
    Semaphore room = new Semaphore(callers == 0 ? Integer.MAX_VALUE : callers);
    ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    long began = System.nanoTime();
    long end = began + seconds * 1_000_000_000L;
    for (long number = 0; ; number++) {
      if (rate > 0) {
        long due = began + number * 1_000_000_000L / rate;
        while (System.nanoTime() < due) Thread.sleep(0, 200_000);
      }
      room.acquire();
      if (System.nanoTime() >= end) break;
      double sent = System.nanoTime() / 1e6;
      open.incrementAndGet();
      client
          .newCreateInstanceCommand()
          .bpmnProcessId("tasks")
          .latestVersion()
          .variables(tasks == 1 ? Map.of("n", 1, "sent", sent) : Map.of("n", 1))
          .withResult()
          .requestTimeout(Duration.ofSeconds(30))
          .send()
          .whenComplete(
              (result, error) -> {
                if (error == null) took.add(System.nanoTime() / 1e6 - sent);
                else failed.incrementAndGet();
                open.decrementAndGet();
                // Whoever was turned away asks again a moment later.
                if (error == null) room.release();
                else later.schedule(() -> room.release(), 20, TimeUnit.MILLISECONDS);
              });
    }
    double ended = took.size();
    double measured = (System.nanoTime() - began) / 1e9;
    while (open.get() > 0) Thread.sleep(5);
    later.shutdown();
    return new Measured(ended / measured, failed.get(), took);
  }

  private static double at(double[] sorted, double part) {
    return sorted.length == 0 ? -1 : sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  }
}
