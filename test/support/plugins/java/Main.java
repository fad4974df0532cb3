/** Enables the plug-in of the archive on the class path, and waits for its first push. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    dev.vigil.VigilPlugin plugin = new dev.vigil.VigilPlugin();
    plugin.onEnable();
    Thread.sleep(Long.parseLong(arguments[0]));
  }
}
