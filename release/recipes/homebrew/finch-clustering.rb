class FinchClustering < Formula
  desc "Clustering without a parameter, by first neighbours, as a C library"
  homepage "https://github.com/finch-clustering/finch"
  url "https://github.com/finch-clustering/finch/releases/download/v0.1.0/finch-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "cargo-c" => :build
  depends_on "rust" => :build
  depends_on "pkgconf" => :test

  def install
    system "cargo", "cinstall", "--release", "--locked", "--package", "finch-ffi",
           "--prefix", prefix, "--libdir", lib
    pkgshare.install "examples/c/cluster.c", "examples/data/planets.csv"
  end

  test do
    cp pkgshare/"cluster.c", testpath
    flags = shell_output("pkgconf --cflags --libs finch").split
    system ENV.cc, "cluster.c", *flags, "-o", "cluster"
    assert_match "3 clusters", shell_output("./cluster #{pkgshare}/planets.csv")
  end
end
