// Command kubernetes is each part of a Kubernetes cluster, by its first argument. One program links what all parts
// share once. Tests run it; see script/kubernetes.ts.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	etcd "go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "kubernetes etcd|apiserver|controllers|scheduler|kubelet [options]")
		os.Exit(2)
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	var command *cobra.Command
	switch part {
	case "etcd":
		etcd.Main(os.Args)
		return
	case "apiserver":
		command = apiserver.NewAPIServerCommand()
	case "controllers":
		command = controllers.NewControllerManagerCommand()
	case "scheduler":
		command = scheduler.NewSchedulerCommand()
	case "kubelet":
		command = kubelet.NewKubeletCommand(context.Background())
	default:
		fmt.Fprintf(os.Stderr, "There is no part %q.\n", part)
		os.Exit(2)
	}
	os.Exit(cli.Run(command))
}
