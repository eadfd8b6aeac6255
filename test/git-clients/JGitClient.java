import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.TransportConfigCallback;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.transport.FilterSpec;
import org.eclipse.jgit.transport.PushResult;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.RemoteRefUpdate;
import org.eclipse.jgit.transport.RemoteRefUpdate.Status;

/** Commands of client.ts, run with JGit. */
public final class JGitClient {
  private static final PersonIdent PERSON = new PersonIdent("Ada", "ada@example.org");

  public static void main(String[] args) {
    try {
      run(args);
    } catch (Exception error) {
      for (Throwable one = error; one != null; one = one.getCause()) {
        System.err.println(one.getClass().getSimpleName() + ": " + one.getMessage());
      }
      System.exit(1);
    }
  }

  private static void run(String[] args) throws Exception {
    switch (args[0]) {
      case "clone" -> cloneTo(args[1], args[2], Integer.parseInt(args[3]), args[4]);
      case "list" -> {
        for (Ref ref : Git.lsRemoteRepository().setRemote(args[1]).call()) {
          System.out.println(ref.getObjectId().name() + " " + ref.getName());
        }
      }
      default -> {
        try (Git git = Git.open(new File(args[1]))) {
          inside(git, args);
        }
      }
    }
  }

  private static void cloneTo(String url, String folder, int depth, String filter) throws Exception {
    var command = Git.cloneRepository().setURI(url).setDirectory(new File(folder));
    if (depth > 0) command.setDepth(depth);
    if (!filter.equals("-")) {
      FilterSpec spec = FilterSpec.fromFilterLine(filter);
      TransportConfigCallback filtered = transport -> transport.setFilterSpec(spec);
      command.setNoCheckout(true).setTransportConfigCallback(filtered);
    }
    command.call().close();
  }

  private static void inside(Git git, String[] args) throws Exception {
    switch (args[0]) {
      case "commit" -> {
        Files.writeString(Path.of(args[1], args[2]), args[3]);
        git.add().addFilepattern(args[2]).call();
        RevCommit made = git.commit().setMessage("change").setAuthor(PERSON).setCommitter(PERSON).setSign(false).call();
        System.out.println(made.name());
      }
      case "tag" -> git.tag().setName(args[2]).setMessage("tag").setAnnotated(true).setTagger(PERSON).setSigned(false).call();
      case "push" -> push(git, args[2], args[3], args[4], args[5].equals("1"));
      case "fetch" -> {
        var result = git.fetch().setRemote(args[2]).setRefSpecs(new RefSpec(args[3])).call();
        System.out.println(result.getAdvertisedRef(args[3]).getObjectId().name());
      }
      case "head" -> System.out.println(git.getRepository().resolve("HEAD").name());
      case "count" -> {
        int commits = 0;
        for (RevCommit ignored : git.log().call()) commits++;
        System.out.println(commits);
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void push(Git git, String url, String source, String target, boolean force) throws Exception {
    RefSpec spec = new RefSpec(source + ":" + target).setForceUpdate(force);
    for (PushResult result : git.push().setRemote(url).setRefSpecs(List.of(spec)).call()) {
      System.err.print(result.getMessages());
      for (RemoteRefUpdate update : result.getRemoteUpdates()) {
        Status status = update.getStatus();
        if (status != Status.OK && status != Status.UP_TO_DATE) {
          throw new IllegalStateException(status + " " + update.getMessage());
        }
      }
    }
  }
}
